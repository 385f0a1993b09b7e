package redact

import (
	"slices"
	"strings"
	"testing"
	"time"
)

func TestNames(t *testing.T) {
	for want, names := range map[class]string{
		certain: `password PASSWORD passwd userPassword user.password user[password] user[password][0] password2 passwordConfirm
			new-password-confirmation dbpassword client_secret clientSecret CLIENTSECRET private-key secretKey AWSAccessKeyId
			accesskeyid GoogleAccessId api-key apiKey APIKEY APIKey x-api-key XApiKey X_API_KEY access-token accessTOKEN refresh_token id_token auth_token
			OAuthToken oauth_token oauth_token_secret jsessionid JSESSIONID phpsessid ASP.NET_SessionId
			jwt bearer X-Amz-Date x-amz-signature X-Goog-Expires x_amz_security_token p%61ssword p%2561ssword
			token%5Baccess_token%5D Ocp-Apim-Subscription-Key csrfmiddlewaretoken X-CSRF-Token authenticity_token accessTokens userpw user_pw dbpass adminpass smtppass psw pword passwrd
			passw0rd contraseña contrase%C3%B1a phpsess authcookie access_tok auth_tkn SAMLart wresult hdnts __gda__ ｐａｓｓｗｏｒｄ
			passkey urlsig auth_sig enckey JSESSIONID_XY JSESSIONIDSSO jsessionid.x jsessionid_ratsinfo PHPSESSID_admin passord kodeord salasana
			пароль %D0%BF%D0%B0%D1%80%D0%BE%D0%BB%D1%8C 密码 パスワード 비밀번호 סיסמה palavra_passe contrase%F1a l%F6senord passw upwd
			PasswordTextBox ctl00%24txtPasswordBox password_md5 passwordmd5 API-Schlüssel appsecret_proof mot_de_passe_confirm cle_api`,
		certainLine: `passphrase pass_phrase wifi-passphrase seed_phrase`,
		header:      `proxy-authorization Proxy_Authorization set-cookie Set-Cookie2`,
		likelyWord:  `pwd pw`,
		likely: `hasło haslo heslo parola kennwort senha geslo show_password forgot_password topic-password reset_pwd osCsid XTCsid zenid sessionhash
			fe_typo_user ci_session MYSAPSSO2 sap-contextid MRHSession MODsid sesskey session_hash pass mountain_pass access_key AccountKey master_key sessionKey session_token session_id sessionid SESSION-ID sess signature
			call_number_signature hmac x-sign credential credentials cred credentials_json csrf cfid assertion`,
		likelyPin:    `pin pincode pin_code user_pin`,
		likelyPair:   `basic_auth userinfo`,
		likelyLine:   `mnemonic seed_words`,
		likelyCode:   `otp totp mfa 2fa user_2fa passcode pass_code access_code backup_code recovery_code recoveryCode`,
		likelyHeader: `auth_header authorization Authorization cookie Cookie`,
		session:      `session sid phpbb3_x_sid legislative_session`,
		qualified: `user_token shareToken confirmation_token invite_token magic_link_token sso_token download_token wstoken remember_token rss_token
			sig x-sig sign session_secret jwt_secret hmac_secret auth_key aes_key app_key activation_key hapikey X-Vendor-Token`,
		ambiguous: `code ticket key token state secret auth sas token[] api.code tokens keys country_code postal_pin tkn tokenString foreign_key word_token`,
		other: `page q id name author keyword tokenizer token_type key_type passport bypass compass password_reset sessions_total csrf_enabled
			startKey lastKey lastEvaluatedKey NextPartitionKey NextRowKey offsetToken resumeToken moreToken pageKey offset_key bookmarkToken public_key
			pageToken page_token nextPageToken NextToken resumptionToken resumptiontoken continuation-token $skiptoken %24skiptoken syncToken
			cookie_consent signature_count signatory authors x amz validity`,
	} {
		for name := range strings.FieldsSeq(names) {
			if got := names4.classify(name); got != want {
				t.Errorf("%s is %d (%q), want %d", name, got, splitName(name), want)
			}
		}
	}
}

func TestValuesThatLookLikeCredentials(t *testing.T) {
	for want, values := range map[bool]string{
		true: `ghp_A1b2C3d4E5f6G7h8I9j0 AKIAIOSFODNN7EXAMPLE eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln Qb7Xk2Wm9Zr4 h7gk2lp9qw4er6ty
			H7GK2LP9QW4ER6TY SplxlOBeZQQYbYS6WxSbIA 4%2FP7q7W91aZoMsCeLvIaQm6bTrgtp7 ST-1856339-aA5Yuvrxzpv8Tau1cYQ7 Ym9iOmh1bnRlcjJYeTdLcQ==`,
		false: `2023 2023-2024 2024-05-01T10:00:00Z XV hunter2 LEGITEXT000006072050 JORFTEXT000000886460 32016R0679 ECLI:EU:C:2023:123
			550e8400-e29b-41d4-a716-446655440000 {550E8400-E29B-41D4-A716-446655440000} d41d8cd98f00b204e9800998ecf8427e
			6079cd3a9ba5988459c5e0f1 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08 correct-horse-battery-staple
			OpeningKeynoteOfTheMayor OpenPlenaryMeeting2023Part2 uploads/2023/report-final-v2.pdf 1Z999AA10123456784 EP1234567A1 GB29NWBK60161331926819
			council-meeting-2023-03-12-part-2 sk-bratislava-annual-report-2023 ENSG00000139618`,
	} {
		for value := range strings.FieldsSeq(values) {
			if got := rules4.isCredential(value); got != want {
				t.Errorf("%s: %v", value, got)
			}
		}
	}
}

// TestTexts: secrets in the forms in which a crawler writes them down, and what looks
// like them and is none.
func TestTexts(t *testing.T) {
	for in, want := range map[string]string{
		"":                                   "",
		"the key: C major; session at nine":  "the key: C major; session at nine",
		"Basic information about the token":  "Basic information about the token",
		"see https://u:p@a.example/x?sig=1.": "see https://a.example/x?sig=REDACTED",
		"from ftp://u:p@a.example/x then s3://k:s@b/y":                             "from ftp://a.example/x then s3://b/y",
		"Cookie: a=1; b=2\nnext":                                                   "Cookie: REDACTED\nnext",
		"curl -H 'Cookie: a=1; b=2' https://a.example":                             "curl -H 'Cookie: REDACTED' https://a.example",
		"sent Authorization=Bearer abc":                                            "sent Authorization=REDACTED",
		`{"access_token": "abc", "n": 1}`:                                          `{"access_token": "REDACTED", "n": 1}`,
		`{"password":"a\"b","otp":123456}`:                                         `{"password":"REDACTED","otp":REDACTED}`,
		`{\"password\":\"ab\",\"n\":1}`:                                            `{\"password\":\"REDACTED\",\"n\":1}`,
		`{'apiKey' => 'abc', :n => 1}`:                                             `{'apiKey' => 'REDACTED', :n => 1}`,
		"password=abc&user=me":                                                     "password=REDACTED&user=me",
		"password=a,b;c user=me":                                                   "password=REDACTED user=me",
		"with bearer abcdefghijklmnop1234 yes":                                     "with bearer REDACTED yes",
		"Authorization is Basic Ym9iOmh1bnRlcjI= there":                            "Authorization is Basic REDACTED there",
		"X-Amz-Signature=abc":                                                      "X-Amz-Signature=REDACTED",
		"client secret: abc, and more":                                             "client secret: REDACTED, and more",
		"password: hunter2\nuser: bob":                                             "password: REDACTED\nuser: bob",
		"  passwd : 'hunter 2'\n":                                                  "  passwd : 'REDACTED'\n",
		"<user>bob</user><password>hunter2</password>":                             "<user>bob</user><password>REDACTED</password>",
		"curl -u bob:hunter2 https://a.example":                                    "curl -u REDACTED https://a.example",
		"curl -ubob:hunter2 https://a.example":                                     "curl -uREDACTED https://a.example",
		"curl --user 'bob:hunter 2' https://a.example":                             "curl --user REDACTED https://a.example",
		"curl --proxy-user=bob:hunter2 x":                                          "curl --proxy-user=REDACTED x",
		"wget --http-password=hunter2 x":                                           "wget --http-password=REDACTED x",
		"tool --password hunter2 --verbose":                                        "tool --password REDACTED --verbose",
		"tool --api-key 'hunter 2' --verbose":                                      "tool --api-key 'REDACTED' --verbose",
		"docker run -u 1000:1000 x":                                                "docker run -u 1000:1000 x",
		"Server=db.example;User ID=bob;Password=p;w=1;X=2":                         "Server=db.example;User ID=bob;Password=REDACTED;w=1;X=2",
		"DefaultEndpointsProtocol=https;AccountKey=a+b/c==;EndpointSuffix=x":       "DefaultEndpointsProtocol=https;AccountKey=REDACTED;EndpointSuffix=x",
		"postgres://bob:hunter2@db.example/main":                                   "postgres://db.example/main",
		"bob:hunter2@tcp(db.example:3306)/main":                                    "REDACTED@tcp(db.example:3306)/main",
		"through bob:hunter2@proxy.example:8080":                                   "through REDACTED@proxy.example:8080",
		"through //bob:hunter2@proxy.example/":                                     "through //proxy.example/",
		"git clone git@github.example:org/repo.git":                                "git clone git@github.example:org/repo.git",
		"write to mayor@town.example, or mailto:clerk@town.example":                "write to mayor@town.example, or mailto:clerk@town.example",
		"key: a@b.example":                                                         "key: a@b.example",
		"Courriel:mairie@ville.example":                                            "Courriel:mairie@ville.example",
		"Email: mayor@town.example":                                                "Email: mayor@town.example",
		"at 12:30@noon.example":                                                    "at 12:30@noon.example",
		"https://social.example/@mayor":                                            "https://social.example/@mayor",
		"https://maps.example/@48.8,2.3,12z":                                       "https://maps.example/@48.8,2.3,12z",
		"http://[::1]:8080/a@b":                                                    "http://[::1]:8080/a@b",
		"https://a.example:8443/by/a@b":                                            "https://a.example:8443/by/a@b",
		"nats: API error: code=503 state=full":                                     "nats: API error: code=503 state=full",
		"SQLSTATE 28P01: password authentication failed for user \"bob\"":          "SQLSTATE 28P01: password authentication failed for user \"bob\"",
		"-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY----- end": "REDACTED end",
	} {
		got := Text(in, Log)
		if got != want {
			t.Errorf("%q\n got %q\nwant %q", in, got, want)
		}
		if again := Text(got, Log); again != got {
			t.Errorf("%q: %q, again %q", in, got, again)
		}
	}
}

// TestABackslashWithinASecretIsOfTheSecret, but for one that escapes what ends it. What
// older rules left behind the marker stays, so that a stored text is as it was.
func TestABackslashWithinASecretIsOfTheSecret(t *testing.T) {
	for in, want := range map[string]string{
		`password=Tr0ub\4dor3 failed`:                  `password=REDACTED failed`,
		`password=Tr0ub\4d\\or3 failed`:                `password=REDACTED failed`,
		`password=Tr0ub\n4dor3 failed`:                 `password=REDACTED failed`,
		`password=Tr0ub\u12 failed`:                    `password=REDACTED failed`,
		`(password=Tr0ub)\4dor3) failed`:               `(password=REDACTED) failed`,
		`passwd: Corp7\b0bSecret, then`:                `passwd: REDACTED, then`,
		`password=hunter2\`:                            `password=REDACTED\`,
		"password=hunter2\\\nnext":                     "password=REDACTED\\\nnext",
		`password=hunter2\nuser: bob`:                  `password=REDACTED\nuser: bob`,
		`password=hunter2\u0026user=bob`:               `password=REDACTED\u0026user=bob`,
		`password=hunter2\r\n`:                         `password=REDACTED\r\n`,
		`{\"text\":\"password=hunter2\",\"n\":1}`:      `{\"text\":\"password=REDACTED\",\"n\":1}`,
		`password=REDACTED\4dor3 failed`:               `password=REDACTED\4dor3 failed`,
		`code=chapter\A1b2C3d4E5f6G7h8 of the archive`: `code=chapter\A1b2C3d4E5f6G7h8 of the archive`,
	} {
		for _, form := range []Form{Stored, Log} {
			if got := Text(in, form); got != want {
				t.Errorf("%d: %q\n got %q\nwant %q", form, in, got, want)
			}
			check(t, in)
		}
	}
	const leading = `password=\Tr0ub4dor3 failed`
	if got := Text(leading, Log); got != `password=REDACTED failed` {
		t.Errorf("%q is logged as %q", leading, got)
	}
	const address = `https://a.example/x?q=password:Tr0ub%5C4dor3&n=1`
	if got := URL(address, Log); strings.Contains(got, "4dor3") {
		t.Errorf("%q is logged as %q", address, got)
	}
	if got := URL(address, Identity); !strings.Contains(got, "4dor3") {
		t.Errorf("the identity of %q has become %q", address, got)
	}
}

func TestValuesOfFields(t *testing.T) {
	for name, want := range map[string]string{
		"note": "abc", "Set-Cookie": "REDACTED", "api_key": "REDACTED", "x-api-key": "REDACTED", "password": "REDACTED", "X_Amz_Signature": "REDACTED",
		"pwd": "REDACTED", "private-key": "REDACTED", "session_token": "abc", "session": "abc", "signature": "abc", "user.password": "REDACTED",
	} {
		if got := Value(name, "abc", Stored); got != want {
			t.Errorf("%s: %q", name, got)
		}
	}
	if Value("access_token", "", Stored) != "" {
		t.Error("an empty value is marked")
	}
	if got := Value("token", "Zx9Cv8Bn7Mk6Jh5Gf4Ds3", Stored); got != "REDACTED-79ad9cd4fa44d2f8" && !isMarked(got) || Value("token", got, Stored) != got {
		t.Error(got)
	}
}

// TestAddressesWithSomethingBeforeThem: what a crawler pastes beside an address hides no
// user information.
func TestAddressesWithSomethingBeforeThem(t *testing.T) {
	const address = "https://clerk:MinPw77312@y.example/a"
	for _, before := range []string{" ", "\n", "\t\r\n", "\ufeff", "\u00a0", "'", "\"", "«", "<", "(", "URL: ", "url=", "see also: ", "_"} {
		for _, form := range []Form{Stored, Log} {
			got := URL(before+address, form)
			if strings.Contains(got, "77312") || !strings.Contains(got, "y.example/a") || URL(got, form) != got {
				t.Errorf("%q: %q", before+address, got)
			}
		}
	}
	for _, url := range []string{"ht\ttps://clerk:MinPw77312@y.example/a", "https:/\n/clerk:MinPw77312@y.example/a", "https://clerk:Min\tPw77312@y.example/a",
		"ht tps://clerk:MinPw77312@y.example/a"} {
		if got := URL(url, Stored); strings.Contains(got, "77312") {
			t.Errorf("%q: %q", url, got)
		}
	}
}

// TestPairsAndBlocks: names and values that stand beside each other, and percent codes in
// texts and names of files.
func TestPairsAndBlocks(t *testing.T) {
	for in, want := range map[string]string{
		`{"name":"password","value":"MinPw7"}`:                        `{"name":"password","value":"REDACTED"}`,
		`{"name": "page", "value": "3"}`:                              `{"name": "page", "value": "3"}`,
		`{\"name\":\"password\",\"value\":\"MinPw7\"}`:                `{\"name\":\"password\",\"value\":\"REDACTED\"}`,
		`{"value":"MinPw7","name":"api_key"}`:                         `{"value":"REDACTED","name":"api_key"}`,
		`{"name":"Cookie","value":"a=MinPw7; b=2"}`:                   `{"name":"Cookie","value":"REDACTED"}`,
		`[["password","MinPw7"],["page","3"]]`:                        `[["password","REDACTED"],["page","3"]]`,
		`('passwd', 'MinPw7')`:                                        `('passwd', 'REDACTED')`,
		"password: |\n  MinPw7\nuser: bob":                            "password: |\n  REDACTED\nuser: bob",
		"password: >-   MinPw7":                                       "password: >-   REDACTED",
		`<add key="Password" value="MinPw7"/>`:                        `<add key="Password" value="REDACTED"/>`,
		`<param name="api_key" value='MinPw7'/>`:                      `<param name="api_key" value='REDACTED'/>`,
		`<input value="MinPw7" name="password">`:                      `<input value="REDACTED" name="password">`,
		`password%3DMinPw7`:                                           `password%3DREDACTED`,
		`attachment; filename*=UTF-8''report%3Fpassword%3DMinPw7.pdf`: `attachment; filename*=UTF-8''report%3Fpassword%3DREDACTED`,
		`attachment; filename="report%3Faccess_token%3DMinPw7"`:       `attachment; filename="report%3Faccess_token%3DREDACTED"`,
		"100%25 of the town%20hall":                                   "100%25 of the town%20hall",
		"Signature: J. Smith, Mayor":                                  "Signature: J. Smith, Mayor",
		"Session ID: 5114":                                            "Session ID: 5114",
		"Pass: Gotthard":                                              "Pass: Gotthard",
		"The pass: closed in winter":                                  "The pass: closed in winter",
		"Credentials: Committee on the verification of powers":        "Credentials: Committee on the verification of powers",
		"CSRF: what it is":                                            "CSRF: what it is",
		"cookie: policy page":                                         "cookie: policy page",
		"signature: 12 March 2024":                                    "signature: 12 March 2024",
		"see https://a.example/wiki?title=Password:history":           "see https://a.example/wiki?title=Password:history",
		"ｐａｓｓｗｏｒｄ=MinPw7":                                             "ｐａｓｓｗｏｒｄ=REDACTED",
	} {
		if got := Text(in, Stored); got != want || Text(got, Stored) != got {
			t.Errorf("%s\n got %s\nwant %s", in, got, want)
		}
	}
	for name, value := range map[string]string{"Signature": "J. Smith, Mayor", "Session ID": "5114", "Pass": "Gotthard", "cookie": "policy page", "credentials": "Committee on rules"} {
		if got := Value(name, value, Stored); got != value {
			t.Errorf("%s: %s is %s", name, value, got)
		}
	}
}

// TestSecretsInListsAndElements: lists and objects, elements with attributes, quotations of
// Python, lines of .netrc, bundled options, full-width signs; and what only looks like them.
func TestSecretsInListsAndElements(t *testing.T) {
	for in, want := range map[string]string{
		`{"headers":{"X-Api-Key":["MinPw7","MinPw8"],"Host":["x"]}}`: `{"headers":{"X-Api-Key":["REDACTED","REDACTED"],"Host":["x"]}}`,
		`{"password":{"value":"MinPw7","min":"8"}}`:                  `{"password":{"value":"REDACTED","min":"8"}}`,
		`{\"password\":[\"MinPw7\"]}`:                                `{\"password\":[\"REDACTED\"]}`,
		`{"session":["2023","2024"],"key":["C","D"]}`:                `{"session":["2023","2024"],"key":["C","D"]}`,
		`<Password type="text">MinPw7</Password>`:                    `<Password type="text">REDACTED</Password>`,
		`<password><![CDATA[MinPw7]]></password>`:                    `<password><![CDATA[REDACTED]]></password>`,
		`<property name="password">MinPw7</property>`:                `<property name="password">REDACTED</property>`,
		`<entry key="page">7</entry>`:                                `<entry key="page">7</entry>`,
		`u'password': u'MinPw7'`:                                     `u'password': u'REDACTED'`,
		`'password': b'MinPw7'`:                                      `'password': b'REDACTED'`,
		`auth=('anna', 'MinPw7')`:                                    `auth=('anna', 'REDACTED')`,
		"password：MinPw7":                                            "password：REDACTED",
		"machine ftp.example login anna password MinPw7 x":           "machine ftp.example login anna password REDACTED x",
		"passphrase: correct horse":                                  "passphrase: REDACTED",
		"curl -sSu anna:MinPw7 https://a.example":                    "curl -sSu REDACTED https://a.example",
		"tar -cvu a:b":                                               "tar -cvu a:b",
		"X-Vendor-Token: 00c0ffee00c0ffee00c0ffee":                   "X-Vendor-Token: REDACTED-9ff4cf6c1b6d2e60",
		"302 -> /login?sid=0a1b2c3d4e5f60718293a4b5c6d7e8f9":         "302 -> /login?sid=REDACTED-",
		"open /nope/api-key: no such file or directory":              "open /nope/api-key: no such file or directory",
	} {
		got := Text(in, Stored)
		again := Text(got, Stored)
		if at := strings.Index(want, "REDACTED-"); at >= 0 && len(got) >= at+len("REDACTED-") { // whatever the digest is
			got, want = got[:at+len("REDACTED-")], want[:at+len("REDACTED-")]
			again = again[:len(got)]
		}
		if got != want || again != got {
			t.Errorf("%s\n got %s\nwant %s", in, got, want)
		}
	}
	for name, value := range map[string]string{"passwd (ftp)": "MinPw7", "API-Schlüssel": "MinPw7", "auth_header": "Basic YW5uYTpNaW5Qdzc="} {
		if got := Value(name, value, Stored); got != Marker {
			t.Errorf("%s: %s", name, got)
		}
	}
}

// TestTimeIsLinear redacts a quarter of a megabyte of what is hard to look at: a quadratic rule
// takes minutes.
func TestTimeIsLinear(t *testing.T) {
	const size = 1 << 18
	for _, piece := range []string{"key=", "password=", "a:b@", "http://a/?u=", "&token=x;", "--key ", `"`, `\"key":`, "%25", "<key>", "-u a:", "eyJ",
		"eyJa.", "client secret ", "key:", "a@", "//", "cookie:", "bearer ", "a,", ";T", "%3A%2F%2Fu%3Ap%40", "-----BEGIN PRIVATE KEY-----", "ghp_", "x", `"key":[`, `password={"`, "(S(", "<a ", "<a name='", "auth=('", "：", "curl+", "machine a "} {
		text := strings.Repeat(piece, size/len(piece))
		for name, f := range map[string]func(){
			"URL": func() { URL("http://a.example/?"+text, Stored) }, "Text": func() { Text(text, Stored) }, "Value": func() { Value("token", text, Stored) },
		} {
			began := time.Now()
			f()
			if took := time.Since(began); took > 20*time.Second {
				t.Errorf("%s of %q: %s", name, piece, took)
			} else if took > 2*time.Second {
				t.Logf("%s of %q: %s", name, piece, took)
			}
		}
	}
}

func check(t *testing.T, s string) {
	t.Helper()
	for _, form := range []Form{Stored, Log} {
		for name, f := range map[string]func(string, Form) string{
			"URL": URL, "Text": Text, "Query": Query, "Path": redactPath,
			"Value": func(s string, form Form) string { return Value("session", s, form) },
		} {
			if once := f(s, form); f(once, form) != once {
				t.Fatalf("%s(%q, %d) = %q, then %q", name, s, form, once, f(once, form))
			}
		}
	}
	if got, want := Query(Query(s, Stored), Identity), Query(s, Identity); got != want {
		t.Fatalf("the identity of %q is %q, of its stored form %q", s, want, got)
	}
	if got, want := redactPath(redactPath(s, Stored), Identity), redactPath(s, Identity); got != want {
		t.Fatalf("the identity of %q is %q, of its stored form %q", s, want, got)
	}
}

func FuzzRedact(f *testing.F) {
	for _, s := range slices.Concat([]string{
		"see https://u:p@a.example/x?sig=1 Cookie: a=1\nkey=2 bearer abcdefghijklmnop1234", `{"password":"a\"b"}`, "curl -u a:b --token 'x' //u:p@h",
		"/(S(abcdefghij12345klmnopqrs))/(X(1)F(REDACTED))/a;jsessionid_x=1", `{"key":["A1b2C3d4E5f6G7h8"],"password":{"value":[{"x":"y"}]}}`,
		"hash=0123456789abcdef01234567&expires=1790000000&session_id=7Hx2Kq9Lm&invite_token=0123456789abcdef01234567", "<password a=b><![CDATA[x]]>",
		"hooks.slack.com/services/T1/B2/x mysql -pX; sshpass -p X a", "/hooks/5wq3n8xkj7bd9y1rtc6pzmh4ea/reset/7c1e9b2d4f8a60531e7d9c2b", "seed=Zx9Cv8Bn7Mk6Jh5Gf4Ds3&pin=4711&recovery_code=abcd-efgh",
		"tokens=5x?pass=opensesame7x&basic_auth=a:b", "IDENTIFIED BY 'x' WIFI:S:a;P:b;; net use z: \\\\h\\s x",
		"a=b;token=S;T", "%70%61ss=%3Ftoken%3D1", "password=REDACTED;REDACTED-0123456789abcdef", "ghp_A1b2C3d4E5f6G7h8I9j0&x=eyJhbGciOi.eyJzdW.c2",
	}) {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) { check(t, s) })
}
