import { all, type Range } from '../range.ts'

/** Tokens identified by their own format, whatever is around them. Each begins as no word does. */
const SHAPES: readonly string[] = [
  // Amazon, Google, Microsoft, Alibaba, Tencent, DigitalOcean, Heroku, Cloudflare
  '(?:A3T[A-Z0-9]|AKIA|AGPA|AIDA|AROA|AIPA|ANPA|ANVA|ASIA|ABIA|ACCA)[A-Z0-9]{16}(?![A-Za-z0-9])',
  '(?:IQoJb3JpZ2lu|F[wQ]oGZXIvYXdz)[A-Za-z0-9+/]{100,}={0,2}',
  'AIza[\\w-]{30,50}',
  'ya29\\.[\\w-]{20,}',
  '1//0[\\w-]{30,}',
  'GOCSPX-[\\w-]{20,}',
  'LTAI[A-Za-z0-9]{12,30}(?![A-Za-z0-9])',
  'AKID[A-Za-z0-9]{28,40}(?![A-Za-z0-9])',
  'do[opr]_v1_[a-f0-9]{64}',
  'HRKU-[\\w-]{20,}',
  '(?:cfk|cfut|cfat)_[A-Za-z0-9]{40,}',
  'v1\\.0-[a-f0-9]{24}-[a-f0-9]{146}',
  'GOOG1E[A-Z0-9]{50,}',
  // Microsoft marks its keys: a client secret, and keys that end in a signature of their service
  '[A-Za-z0-9_~.-]{3}\\dQ~[A-Za-z0-9_~.-]{31,34}',
  '[A-Za-z0-9+/_-]{33,90}(?:AzFu|AzSe|AzCa|\\+ACR|\\+ASt|\\+ASb|\\+AEh|\\+ARm|ACDb|AIoT|APIM|AIoTA)[A-Za-z0-9+/]{5,6}={0,2}',
  // Code hosts and registries
  'gh[pousr]_[A-Za-z0-9_.-]{30,}',
  'github_pat_\\w{40,}',
  'gl(?:pat|dt|rt|cbt|ptt|ft|imt|agent|oas|soat)-[\\w.-]{16,}',
  'npm_[A-Za-z0-9]{30,}',
  'pypi-[\\w-]{40,}',
  'rubygems_[a-f0-9]{40,}',
  'dckr_(?:pat|oat)_[\\w-]{20,}',
  'ATATT3[\\w=-]{30,}',
  'ATBB[\\w=-]{24,}',
  'cio[A-Za-z0-9]{32,}(?![A-Za-z0-9])',
  'bkua_[a-z0-9]{40}',
  'CCI(?:PAT|PRJ)_[A-Za-z0-9]{20,}_[a-f0-9]{40}',
  'AKCp[A-Za-z0-9]{60,}',
  'oy2[a-z0-9]{43}(?![A-Za-z0-9])',
  'CLOJARS_[a-f0-9]{60}',
  'sq[apu]_[a-f0-9]{40}',
  'sgp_[A-Za-z0-9_]{40,}',
  'glc_[A-Za-z0-9+/]{32,}={0,2}',
  'glsa_[A-Za-z0-9]{32}_[A-Fa-f0-9]{8}',
  // Models
  'sk-(?:proj-|svcacct-|admin-|ant-|or-v1-|lf-)?[A-Za-z0-9_-]{20,}',
  'gsk_[A-Za-z0-9]{40,}',
  'fw_[A-Za-z0-9]{22,}(?![A-Za-z0-9_])',
  'pcsk_[A-Za-z0-9_]{50,}',
  'sk_[a-f0-9]{48}(?![A-Za-z0-9])',
  '[a-f0-9]{32}\\.[A-Za-z0-9]{16}(?![A-Za-z0-9.])',
  'hf_[A-Za-z0-9]{30,}',
  'r8_[A-Za-z0-9]{30,}',
  'pplx-[A-Za-z0-9]{40,}',
  'xai-[A-Za-z0-9]{40,}',
  'nvapi-[\\w-]{40,}',
  'lsv2_(?:pt|sk)_[a-f0-9_]{32,}',
  'tvly-(?:dev-)?[A-Za-z0-9]{32}(?![A-Za-z0-9])',
  'jina_[A-Za-z0-9_-]{50,}',
  'fc-[a-f0-9]{32}(?![a-f0-9])',
  'csk-[a-z0-9]{40,}',
  'pa-(?=[A-Za-z_-]*\\d)[A-Za-z0-9_-]{40,}',
  'e2b_[a-f0-9]{40}',
  'esecret_[A-Za-z0-9]{24,}',
  'api_org_[A-Za-z]{34}(?![A-Za-z])',
  // Payment, mail, chat, work
  '(?:sk|rk|whsec|pk)_(?:live|test)_[A-Za-z0-9]{16,}',
  'whsec_[A-Za-z0-9+/=]{24,}',
  'sq0(?:atp|csp|idp)-[\\w-]{20,}',
  'EAAA[\\w-]{56,}',
  'shp(?:at|ca|pa|ss)_[A-Za-z0-9]{30,}',
  'SG\\.[\\w-]{16,}\\.[\\w-]{16,}',
  'key-[a-f0-9]{32}(?![a-f0-9])',
  '[a-f0-9]{32}-us\\d{1,2}(?![a-z0-9])',
  'xkeysib-[a-f0-9]{64}-[A-Za-z0-9]{16}',
  'xox[abeoprs](?:\\.xox[bp])?-[A-Za-z0-9-]{10,}',
  'xapp-\\d-[A-Za-z0-9-]{10,}',
  '[MNO][A-Za-z\\d_-]{23,26}\\.[\\w-]{6}\\.[\\w-]{27,}',
  '\\d{8,10}:AA[\\w-]{33}',
  'AAAA[\\w-]{7}:APA91b[\\w-]{100,}',
  'EAA[A-Z][A-Za-z0-9]{80,}',
  'IGQ[A-Z][\\w-]{80,}',
  'sl\\.[\\w-]{60,}',
  're_[A-Za-z0-9]{8}_[A-Za-z0-9]{20,}',
  'access-(?:sandbox|development|production)-[0-9a-f-]{36}',
  '[a-f0-9]{32}-[a-f0-9]{8}-[a-f0-9]{8}(?![a-f0-9-])',
  'SCT\\d{1,8}T[A-Za-z0-9]{24,}',
  'tfp_[\\w-]{40,}',
  'y[0-3]_[\\w-]{50,}',
  't1\\.[A-Za-z0-9_-]{40,}',
  'sk\\.eyJ[\\w-]{20,}\\.[\\w-]{10,}',
  '(?:AC|SK)[a-f0-9]{32}(?![A-Za-z0-9])',
  'lin_(?:api|oauth)_\\w{30,}',
  'ntn_[A-Za-z0-9]{40,}',
  'secret_[A-Za-z0-9]{43}(?![A-Za-z0-9])',
  'figd_[\\w-]{36,}',
  'pat[A-Za-z0-9]{14}\\.[a-f0-9]{64}',
  'PMAK-[a-f0-9]{24}-[a-f0-9]{34}',
  'eyJrIjoi[A-Za-z0-9+/=]{30,}',
  // Data, deployment, secrets
  'dapi[a-f0-9]{32}(?:-\\d)?',
  'hv[sbr]\\.[\\w-]{20,}',
  's\\.(?=[A-Za-z]{0,20}\\d)[A-Za-z0-9]{24}(?![A-Za-z0-9])',
  '[A-Za-z0-9]{14}\\.atlasv1\\.[\\w-]{60,}',
  'vc[ipark]_[A-Za-z0-9]{20,}',
  'nf[pcoub]_[A-Za-z0-9]{36,}',
  'rnd_[A-Za-z0-9]{24,}',
  'fo1_[\\w-]{43}',
  'fm\\d_[\\w+/=-]{40,}',
  'pscale_(?:tkn|pw|oauth)_[\\w.-]{32,}',
  'sb[ps]_[a-z]*_?[A-Za-z0-9_-]{20,}',
  'tskey-[a-z]+-\\w{6,}-\\w{16,}',
  'npg_[A-Za-z0-9]{10,}(?![A-Za-z0-9_])',
  'SWM(?:TKN|KEY)-1-[A-Za-z0-9+/-]{40,}',
  '(?:sdk|mob|api|rel)-[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}',
  'ops_ey[A-Za-z0-9+/=_-]{40,}',
  'dop_v1_[a-f0-9]{40,}',
  'dp\\.(?:pt|st|ct|sa|scim|audit)\\.[\\w.-]{40,}',
  'NRAK-[A-Z0-9]{20,}',
  'NRJS-[a-f0-9]{19}',
  'sntry[su]_[\\w+/=-]{40,}',
  'phc_[A-Za-z0-9]{40,}',
  'phx_[A-Za-z0-9]{40,}',
  'AGE-SECRET-KEY-1[0-9A-Z]{50,}',
  'pul-[a-f0-9]{40}',
  'CFPAT-[\\w-]{40,}',
  'shippo_(?:live|test)_[a-f0-9]{40}',
  'EZ[AT]K[A-Za-z0-9]{50,}',
  'duffel_(?:live|test)_[\\w-]{40,}',
  'ddp_[A-Za-z0-9]{36,}',
  'T3BlbkFJ[A-Za-z0-9]{20,}',
  'vercel_blob_rw_\\w{30,}',
  '(?:secret|token)-(?:live|test)-[\\w=-]{30,}',
  'pnu_[A-Za-z0-9]{36}',
  'rdme_[a-z0-9]{60,}',
  'fio-u-[\\w=-]{50,}',
  'aio_[A-Za-z0-9]{28}(?![A-Za-z0-9])',
  'FLW(?:PUB|SEC)K(?:_TEST)?-[a-f0-9]{12,}-X',
  'dt0[a-z]\\d{2}\\.[A-Z0-9]{24}\\.[A-Z0-9]{64}',
  'ico-[A-Za-z0-9]{32}(?![A-Za-z0-9])',
  'pat-[a-z]{2}\\d-[0-9a-f]{8}-[0-9a-f-]{27}',
  'oauth:[a-z0-9]{30}(?![a-z0-9])',
  // Any service: a name with a part such as key, then random characters
  '(?:[A-Za-z][A-Za-z0-9]{0,15}[-_]){0,3}(?:sk|pat|key|apikey|token|secret|live|prod)[-_](?:(?:live|test|prod|key)[-_])?(?=[A-Za-z]*\\d)(?=[a-z0-9]*[A-Z])[A-Za-z0-9]{24,}(?![A-Za-z0-9_-])',
  // Keys by themselves: in DER, and of a wallet
  'MI[IG][A-Za-z0-9+/]{2,3}[AgQw]IBA[DA][A-Za-z0-9+/]{60,}={0,2}',
  'M[HIG][A-Za-z0-9+/]CAQEEI[A-Za-z0-9+/]{40,}={0,2}',
  'token-[a-z0-9]{5}:[a-z0-9]{54}',
  '[12]/\\d{13,18}:[a-f0-9]{32}(?![a-f0-9])',
  '[a-f0-9]{32}:[a-f0-9]{32}(?![a-f0-9:])',
  'AQE[a-z]h[A-Za-z0-9+/_-]{50,}[\\w=-]*',
  'JDJ[hieYX][A-Za-z0-9+/]{50,}={0,2}',
  'at_[A-Za-z0-9]{10}_s1\\w{40,}',
  '[\\w-]{6}\\.[\\w-]{6}:[\\w-]{43}(?![\\w-])',
  'nsec1[a-z0-9]{58}',
  // Recovery keys of a disk or an account
  '\\d{6}(?:-\\d{6}){7}(?![\\d-])',
  'A3-[A-Z0-9]{6}(?:-[A-Z0-9]{5,11}){3,5}(?![A-Z0-9-])',
  '[xyz]prv[1-9A-HJ-NP-Za-km-z]{100,}',
  'S[A-Z0-9]{55}(?![A-Za-z0-9])',
  'b3BlbnNzaC1rZXktdjEA[A-Za-z0-9+/=]{60,}',
  '[KL5][1-9A-HJ-NP-Za-km-z]{50,51}(?![A-Za-z0-9+/_-])',
  // Tokens of the web
  'eyJ[\\w-]{8,}\\.[\\w-]{8,}\\.[\\w-]{0,}(?:\\.[\\w-]+\\.[\\w-]+)?',
]

/**
 * Not preceded by a part of a word; the n of an escaped line end (\\n) does not count as one, nor does a
 * percent-encoded byte.
 */
const TOKEN = new RegExp(`(?:(?<![A-Za-z0-9_])|(?<=\\\\[nrt]|%[0-9A-F]{2}))(?:${SHAPES.join('|')})`, 'g')

/** Addresses that end in a secret: anyone who knows one may write there, or read. */
const ADDRESSES: readonly string[] = [
  // Chats
  'hooks\\.slack\\.com/(?:services|workflows|triggers)/',
  'discord(?:app)?\\.com/api/(?:v\\d+/)?webhooks/\\d+/',
  '\\.webhook\\.office\\.com/webhookb2/',
  'outlook\\.office(?:365)?\\.com/webhook/',
  'api\\.telegram\\.org/(?:file/)?bot',
  '(?:open\\.feishu\\.cn|open\\.larksuite\\.com)/open-apis/bot/v2/hook/',
  'qyapi\\.weixin\\.qq\\.com/cgi-bin/webhook/send\\?key=',
  'hooks\\.chime\\.aws/incomingwebhooks/',
  '(?:mattermost|chat|rocket)[\\w.-]{0,60}/hooks/',
  // Automation services
  'hooks\\.zapier\\.com/hooks/(?:catch|standard)/',
  'maker\\.ifttt\\.com/trigger/[\\w-]+/(?:json/)?with/key/',
  'hook\\.[a-z0-9]+\\.make\\.com/',
  'hook\\.integromat\\.com/',
  'api\\.netlify\\.com/build_hooks/',
  'api\\.vercel\\.com/v1/integrations/deploy/',
  'api\\.cloudflare\\.com/client/v4/pages/webhooks/deploy_hooks/',
  'events\\.pagerduty\\.com/integration/',
  'alert\\.victorops\\.com/integrations/generic/\\d+/alert/',
  '(?:hc-ping\\.com|ping\\.healthchecks\\.io)/',
  'webhook\\.site/',
  'sctapi\\.ftqq\\.com/',
  'api\\.day\\.app/',
  'script\\.google\\.com/macros/s/',
  // Registries and feeds
  'conda\\.anaconda\\.org/t/(?:[a-z]{2}-)?',
  'dl\\.cloudsmith\\.io/',
  'packagecloud\\.io/(?:priv/)?',
  '(?:gem|npm|pypi|repo)\\.fury\\.io/',
  'calendar\\.google\\.com/calendar/ical/[^/\\s]{1,100}/private-',
  // Blockchain nodes
  '\\.infura\\.io/(?:ws/)?v3/',
  '\\.(?:alchemy|alchemyapi)\\.(?:com|io)/v2/',
  '\\.quiknode\\.pro/',
]
const HOOKS = new RegExp(`(?:${ADDRESSES.join('|')})([\\w/:.@-]{12,})`, 'g')

/** Tokens in a long word, which begins at `from` in the text. */
export function tokensIn(word: string, from: number, into: Range[]): void {
  for (const { index, 0: token } of all(TOKEN, word))
    into.push({ start: from + index, end: from + index + token.length })
}

/** The secrets in addresses of webhooks. */
export function findHooks(text: string, into: Range[]): void {
  for (const found of all(HOOKS, text)) {
    const end = found.index + found[0].length
    const secret = found[1] ?? ''
    if (/\d/.test(secret)) into.push({ start: end - secret.length, end })
  }
}
