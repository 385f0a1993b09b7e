package redact

import (
	"maps"
	"slices"
)

// names4 is the table of redact_v4: that of redact_v3 and what was missing there. The names
// are those that scanners of sources, filters of logs and manuals of programs list.
var names4 = names3.with(nameTable{
	certain: phrases(`
	secret access key|privkey|priv key|private pem|keypass|key pass|secret passwd|root pw|admin pw|vault pass|vault token|root token|unseal key
	totp secret|otp secret|hotp secret|mfa secret|authenticator secret|two factor secret|client key data|recovery token|admin token
	session secret key|encryption password|personal access key|user key secret|bot token|webhook token|hook token|install token|enrollment token
	cvv|card cvc|card security code|registration token|join token|npm token|git token|registry token|service account key|service account json|sasl jaas config|jaas config
	tajne heslo|geheimes wort|codigo secreto|code secret|contrasenya|parol|parool|slaptazodis|parole de passe|lykilord|pasahitza|sifresi|heslo uzivatele
	senha usuario|senha do usuario|kata sandi|katasandi|rahasia kata|口令|暗証番号|пинкод|пин код|секретный ключ|токен доступа`),

	likelyWords: phrases(`psk|pre shared key|preshared key|wpa key|wifi key|wep key|wpa psk|snmp community|rocommunity|rwcommunity|enable secret
	auth passwd hash|nt hash|nthash|ntlm hash|ntlm|lm hash|lmhash|login pw hash`),

	likelyCodes: phrases(`recovery key|bitlocker key|scratch code|unlock code|sms code|login code|emergency code|security pin|cvc|cvn|otp code|otp token|otp input|otp answer|totp code|mfa token
	puk|sim puk|mtan|sms tan|push tan|itan|tan code|two factor code|authenticator code|device pin code`),

	likelyPins: phrases(`pin|pin code|pincode|user pin|userpin|login pin|card pin|cardpin|atm pin|sim pin|simpin|access pin|door pin|alarm pin|phone pin|account pin
	meeting pin|conference pin|host pin|voicemail pin|parental pin|signing pin|token pin|smartcard pin|geheimzahl|pinnummer|pin number|geheime nummer|code pin`),

	likelyPairs: phrases(`basic auth|http auth|http basic|http basic auth|proxy auth|auth basic|userinfo|user info|auth pair|auth string|user colon pass|http creds|login data`),

	likelyLines: phrases(`mnemonic|mnemonics|seed words|seed word|wallet seed|recovery words|backup words|secret words|backup phrase|wallet phrase|secret phrase|secret recovery phrase|seed|bip|mnemonic words|wallet words`),

	signatures: words(`sig sign sgn mac xsig hmacsha hsig`),

	// Of these a "pin" is the number: of parcels, of postal districts, of notice boards.
	postalOwners: words(`postal post area zip parcel property city district delivery shipping map drop board state town address location india office`),

	keyOwners: words(`service svc db database server host payment merchant gateway root admin private priv signature encrypt decrypt encryption decryption
	wallet dsa ecdsa pgp ssl tls cert jwk jwe kms storage blob queue cosmos redis elastic algolia datadog dd sendgrid mailgun twilio slack discord
	telegram bot github gitlab heroku cloudflare fastly sentry newrelic pagerduty okta mapbox here rapidapi weather trello airtable typeform
	notion linear postmark segment amplitude mixpanel pusher ably contentful cloudinary intercom zendesk hubspot salesforce dropbox box paypal
	braintree adyen plaid coinbase binance kraken anthropic cohere mistral groq pinecone qdrant weaviate wandb etherscan infura alchemy`),

	qualifiers: words(`pem der pkcs jwk digest salt salted crypt crypted bcrypt argon scrypt enc cipher ciphertext raw hex bytes literal
	content contents data blob body plaintxt clear cleartext unhashed b64url urlencoded retype retyped re again actual real temp
	attempt temporary initial default master backup prod dev test`),

	passOwners: words(`service svc account acct login signin signup wp basic bind ldap rdp vnc ssh sudo su sys oracle mssql postgres postgresql psql
	mongo mongodb rabbit rabbitmq amqp mqtt kafka zabbix grafana jenkins nexus git svn router modem wpa hotspot zip pdf truststore
	trust owner backup sa sysdba system os nas samba cifs smb nfs snmp ipmi bmc ilo idrac vcenter esx esxi kube k8s docker registry
	confirm`),

	passwordWords: []string{"password", "passwd", "passwort", "pwd", "pass", "pw", "passphrase", "secretkey", "privatekey", "privkey", "apikey"},
})

// with returns a table that has more of some names.
func (t *nameTable) with(more nameTable) *nameTable {
	joined := *t
	for _, set := range []struct{ into, from *map[string]bool }{
		{&joined.certain, &more.certain}, {&joined.likelyWords, &more.likelyWords}, {&joined.likelyCodes, &more.likelyCodes},
		{&joined.likelyPins, &more.likelyPins}, {&joined.likelyPairs, &more.likelyPairs}, {&joined.likelyLines, &more.likelyLines},
		{&joined.signatures, &more.signatures}, {&joined.postalOwners, &more.postalOwners}, {&joined.keyOwners, &more.keyOwners},
		{&joined.qualifiers, &more.qualifiers}, {&joined.passOwners, &more.passOwners},
	} {
		all := maps.Clone(*set.into)
		if all == nil {
			all = make(map[string]bool)
		}
		maps.Copy(all, *set.from)
		*set.into = all
	}
	joined.passwordWords = slices.Clone(more.passwordWords)
	return &joined
}
