package redact

import "regexp"

// issuerForm is a form of credentials, and what each of them has in it.
type issuerForm struct{ hint, form string }

func compileForms(forms []issuerForm) []knownForm {
	compiled := make([]knownForm, len(forms))
	for i, f := range forms {
		compiled[i] = knownForm{[]string{f.hint}, compileKnown([]string{f.form})}
	}
	return compiled
}

// forms4 are the forms of credentials that redact_v3 did not know: what scanners of sources
// (gitleaks, TruffleHog, detect-secrets) say of the tokens of issuers, hashes of passwords as
// crypt(3), LDAP and web frameworks write them, keys of PGP and PuTTY.
var forms4 = []issuerForm{
	{"A3-", `A3-[A-Z0-9]{6}-[A-Z0-9-]{11,13}(?:-[A-Z0-9]{5}){3}`},
	{"ops_eyJ", `ops_eyJ[A-Za-z0-9+/=_-]{40,}`},
	{"p8e-", `p8e-[a-z0-9]{32}`},
	{"LTAI", `LTAI[A-Za-z0-9]{16,20}\b`},
	{"AKCp", `AKCp[A-Za-z0-9]{60,}`},
	{"cmVmd", `cmVmd[A-Za-z0-9]{55,}`},
	{"Q~", `[A-Za-z0-9_~.]{3}[0-9]Q~[A-Za-z0-9_~.-]{31,34}`},
	{"CLOJARS_", `CLOJARS_[a-z0-9]{40,}`},
	{"dp.", `dp\.(?:pt|st|ct|sa|scim|audit)\.[A-Za-z0-9.]{40,}`},
	{"duffel_", `duffel_(?:test|live)_[A-Za-z0-9_=-]{40,}`},
	{"dt0c01.", `dt0c01\.[A-Z0-9]{24}\.[A-Z0-9]{40,}`},
	{"EZ", `EZ[AT]K[A-Za-z0-9]{50,}`},
	{"EAA", `EAA[A-Z][A-Za-z0-9]{60,}`},
	{"FLW", `FLW(?:SECK|PUBK)(?:_TEST)?-[A-Za-z0-9]{12,}(?:-X)?`},
	{"fo1_", `fo1_[A-Za-z0-9_-]{40,}`},
	{"fm", `fm[12][ar]?_[A-Za-z0-9+/]{60,}={0,3}`},
	{"fio-u-", `fio-u-[A-Za-z0-9_=-]{40,}`},
	{"sl.", `sl\.(?:u\.)?[A-Za-z0-9_=-]{100,}`},
	{"glc_", `glc_[A-Za-z0-9+/=]{32,}`},
	{"hv", `hv[br]\.[A-Za-z0-9_-]{20,}`},
	{"s.", `s\.[A-Za-z0-9]{24}\b`},
	{"b.", `b\.AAAAA[A-Za-z0-9_-]{60,}`},
	{"nfp_", `nfp_[A-Za-z0-9]{30,}`},
	{"oy2", `oy2[a-z0-9]{43}`},
	{"sha256~", `sha256~[A-Za-z0-9_-]{40,}`},
	{"ph", `ph[cx]_[A-Za-z0-9]{40,}`},
	{"pplx-", `pplx-[A-Za-z0-9]{40,}`},
	{"pscale_", `pscale_(?:tkn|pw|oauth)_[A-Za-z0-9_.=-]{30,}`},
	{"PMAK-", `PMAK-[a-f0-9]{24}-[a-f0-9]{34}`},
	{"pnu_", `pnu_[A-Za-z0-9]{30,}`},
	{"pul-", `pul-[a-f0-9]{40}`},
	{"rdme_", `rdme_[a-z0-9]{60,}`},
	{"rubygems_", `rubygems_[a-f0-9]{40,}`},
	{"sntryu_", `sntryu_[a-f0-9]{60,}`},
	{"secret_", `secret_[A-Za-z0-9]{40,}`},
	{"ntn_", `ntn_[A-Za-z0-9]{40,}`},
	{"shippo_", `shippo_(?:live|test)_[a-fA-F0-9]{40}`},
	{"sgp_", `sgp_(?:[a-fA-F0-9]{16}_|local_)?[a-fA-F0-9]{40}`},
	{"tfp_", `tfp_[A-Za-z0-9_.=-]{50,}`},
	{".atlasv1.", `[A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_=-]{60,}`},
	{"xkeysib-", `xkeysib-[a-f0-9]{64}-[A-Za-z0-9]{16}`},
	{"xsmtpsib-", `xsmtpsib-[a-f0-9]{64}-[A-Za-z0-9]{16}`},
	{"SK", `SK[0-9a-f]{32}\b`},
	{"AQVN", `AQVN[A-Za-z0-9_-]{35,}`},
	{"y0_", `y0_[A-Za-z0-9_-]{50,}`},
	{"waka_", `waka_[0-9a-f]{8}-[0-9a-f-]{27}`},
	{"zpka_", `zpka_[a-f0-9_]{30,}`},
	{"gl", `gl(?:agent|ffct|imt|oas|ft|cd)-[A-Za-z0-9_.-]{16,}`},
	{"CCIP", `CCIP(?:AT|RJ)_[A-Za-z0-9_]{20,}`},
	{"bkua_", `bkua_[a-z0-9]{40}`},
	{"HRKU-", `HRKU-[A-Za-z0-9_-]{36,}`},
	{"pat-", `pat-(?:na|eu)[0-9]-[0-9A-Fa-f]{8}-[0-9A-Fa-f-]{27}`},
	{"dckr_oat_", `dckr_oat_[A-Za-z0-9_-]{16,}`},
	{"api_org_", `api_org_[A-Za-z]{30,}`},
	{"r8_", `r8_[A-Za-z0-9]{30,}`},
	{"gsk_", `gsk_[A-Za-z0-9]{40,}`},
	{"xai-", `xai-[A-Za-z0-9_]{60,}`},
	{"tvly-", `tvly-(?:dev-)?[A-Za-z0-9-]{20,}`},
	{"GOCSPX-", `GOCSPX-[A-Za-z0-9_-]{20,}`},
	{"ATBB", `ATBB[A-Za-z0-9]{28,}`},
	{"TT3x", `AT[CS]TT3x[A-Za-z0-9_=-]{16,}`},
	{"ABSK", `ABSK[A-Za-z0-9+/=]{60,}`},
	{"amzn.mws.", `amzn\.mws\.[0-9a-f]{8}-[0-9a-f-]{27}`},
	{"sb", `sb(?:p|_secret)_[A-Za-z0-9_-]{20,}`},
	{"napi_", `napi_[A-Za-z0-9]{40,}`},
	{"v1.0-", `v1\.0-[a-f0-9]{24}-[a-f0-9]{100,}`},
	{"nvapi-", `nvapi-[A-Za-z0-9_-]{40,}`},
	{"access_token$", `access_token\$production\$[0-9a-z]{16}\$[0-9a-f]{32}`},
	{"rzp_", `rzp_(?:live|test)_[A-Za-z0-9]{14,}`},
	{"live_", `live_[A-Za-z0-9]{30,}`},
	{"test_", `test_[A-Za-z0-9]{30,}`},
	{"-us", `[0-9a-f]{32}-us[0-9]{1,2}\b`},
	{".", `[MNO][A-Za-z0-9_-]{23,27}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,}`},
	{"mfa.", `mfa\.[A-Za-z0-9_-]{60,}`},
	{"IGQV", `IGQV[A-Za-z0-9_-]{60,}`},
	{"dnkey-", `dnkey-[A-Za-z0-9_=-]{40,}`},
	{"NRJS-", `NRJS-[a-f0-9]{19}`},
	{"NRI", `NRI[IQ]-[A-Za-z0-9_-]{20,}`},
	{"ico-", `ico-[A-Za-z0-9]{32}`},
	{"sk_", `sk_[a-z]{4,12}_[A-Za-z0-9]{20,}`},
	{"CFPAT-", `CFPAT-[A-Za-z0-9_-]{40,}`},
	{"fc-", `fc-[0-9a-f]{32}`},
	{"sq", `sq[pau]_[0-9a-f]{40}`},
	{"cio", `cio[A-Za-z0-9]{32}`},
	{"xox", `xox[dc]-[A-Za-z0-9%-]{20,}`},
	{"AAAA", `AAAA[A-Za-z0-9_-]{7}:[A-Za-z0-9_-]{100,}`},
	{"$", `\$(?:2[abxy]?|1|5|6|7|y|gy|apr1|md5|sha1|sha256|sha512)\$[A-Za-z0-9./$=,+-]{16,}`},
	{"$", `\$(?:argon2(?:id|i|d)|scrypt|pbkdf2[a-z0-9-]*)\$[A-Za-z0-9./$=,+-]{16,}`},
	{"{", `\{(?:S?SHA(?:256|384|512)?|S?MD5|CRYPT)\}[A-Za-z0-9+/=$.]{16,}`},
	{"pbkdf2", `pbkdf2[_:]sha(?:1|256|512)[$:][0-9]+[$:][A-Za-z0-9./+=$:]{16,}`},
	{"BEGIN PGP", `-----BEGIN PGP PRIVATE KEY BLOCK-----(?:[^-]|-[^-])*(?:-----END PGP PRIVATE KEY BLOCK-----)?`},
	{"Private-Lines", `Private-Lines:\s*[0-9]+\s+[A-Za-z0-9+/=\s]{40,}`},
}

// knownHosts are addresses whose paths hold a right to post or to read: incoming webhooks,
// triggers, private calendars. The first group is what stands before it, the second the right.
var knownHosts = regexp.MustCompile(`(?i)((?:^|[^a-z0-9.\pL-])(?:` +
	`hooks\.slack(?:-gov)?\.com/(?:services|workflows|triggers)/` +
	`|(?:[a-z]+\.)?discord(?:app)?\.com/api/(?:v[0-9]+/)?webhooks/[0-9]+/` +
	`|(?:[a-z0-9-]+\.)?webhook\.office\.com/webhook[a-z0-9]*/` +
	`|outlook\.office(?:365)?\.com/webhook[a-z0-9]*/` +
	`|hooks\.zapier\.com/hooks/(?:catch|standard)/` +
	`|maker\.ifttt\.com/trigger/[^/\s?#]+/(?:json/)?with/key/` +
	`|hook\.(?:[a-z0-9]+\.)?(?:make|integromat)\.com/|webhook\.site/(?:token/)?|(?:hc-ping\.com|healthchecks\.io/ping)/` +
	`|hooks\.airtable\.com/workflows/v1/genericWebhook/|(?:hooks\.)?(?:glip|ringcentral)\.com/webhook/(?:v2/)?` +
	`|open\.(?:feishu\.cn|larksuite\.com)/open-apis/bot/(?:v2/)?hook/|webhooks\.gitter\.im/e/|api\.flock\.(?:com|co)/hooks/sendMessage/` +
	`|(?:webexapis|api\.ciscospark)\.com/v1/webhooks/incoming/|events\.pagerduty\.com/(?:integration|generic)/` +
	`|alert\.victorops\.com/integrations/generic/[0-9]+/alert/|api\.netlify\.com/build_hooks/|api\.vercel\.com/v1/integrations/deploy/` +
	`|(?:api\.)?cloudflare\.com/client/v4/pages/webhooks/deploy_hooks/|hub\.docker\.com/api/build/v1/source/` +
	`|calendar\.google\.com/calendar/(?:[a-z0-9/]+/)?(?:ical|feeds)/[^/\s?#]+/private-|outlook\.(?:office365|live|office)\.com/owa/calendar/[^/\s?#]+/` +
	`|api\.telegram\.org/(?:file/)?bot|hooks\.nabu\.casa/|(?:[a-z0-9-]+\.)?workers\.xmatters\.com/api/integration/1/functions/` +
	`))([^\s?#"'<>` + "`" + `&,;|\\)\]}]+)`)
