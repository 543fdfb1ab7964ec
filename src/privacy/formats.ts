import type { Range } from './range.ts'

/** Tokens that are told by their own shape, whatever stands around them. Each begins with something no word begins with. */
const SHAPES: readonly string[] = [
  // Amazon, Google, Microsoft, Alibaba, Tencent, DigitalOcean, Heroku, Cloudflare
  '(?:A3T[A-Z0-9]|AKIA|AGPA|AIDA|AROA|AIPA|ANPA|ANVA|ASIA|ABIA|ACCA)[A-Z0-9]{16}(?![A-Za-z0-9])',
  'AIza[\\w-]{30,50}',
  'ya29\\.[\\w-]{20,}',
  '1//0[\\w-]{30,}',
  'GOCSPX-[\\w-]{20,}',
  'LTAI[A-Za-z0-9]{12,30}(?![A-Za-z0-9])',
  'AKID[A-Za-z0-9]{28,40}(?![A-Za-z0-9])',
  'do[opr]_v1_[a-f0-9]{64}',
  'HRKU-[\\w-]{20,}',
  '(?:cfk|cfut|cfat)_[A-Za-z0-9]{40,}',
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
  'glc_[A-Za-z0-9+/]{32,}={0,2}',
  'glsa_[A-Za-z0-9]{32}_[A-Fa-f0-9]{8}',
  // Models
  'sk-(?:proj-|svcacct-|admin-|ant-|or-v1-|lf-)?[A-Za-z0-9_-]{20,}',
  'gsk_[A-Za-z0-9]{40,}',
  'hf_[A-Za-z0-9]{30,}',
  'r8_[A-Za-z0-9]{30,}',
  'pplx-[A-Za-z0-9]{40,}',
  'xai-[A-Za-z0-9]{40,}',
  'nvapi-[\\w-]{40,}',
  'lsv2_(?:pt|sk)_[a-f0-9_]{32,}',
  // Payment, mail, chat, work
  '(?:sk|rk|whsec|pk)_(?:live|test)_[A-Za-z0-9]{16,}',
  'whsec_[A-Za-z0-9+/=]{24,}',
  'sq0(?:atp|csp|idp)-[\\w-]{20,}',
  'EAAA[\\w-]{56,}',
  'shp(?:at|ca|pa|ss)_[A-Za-z0-9]{30,}',
  'access_token\\$production\\$[a-z0-9$]{40,}',
  'SG\\.[\\w-]{16,}\\.[\\w-]{16,}',
  'key-[a-f0-9]{32}(?![a-f0-9])',
  '[a-f0-9]{32}-us\\d{1,2}(?![a-z0-9])',
  'xkeysib-[a-f0-9]{64}-[A-Za-z0-9]{16}',
  'xox[abeoprs](?:\\.xox[bp])?-[A-Za-z0-9-]{10,}',
  'xapp-\\d-[A-Za-z0-9-]{10,}',
  '[MNO][A-Za-z\\d_-]{23,26}\\.[\\w-]{6}\\.[\\w-]{27,}',
  '\\d{8,10}:AA[\\w-]{33}',
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
  'FlyV1 fm\\d_[\\w+/=,-]{40,}',
  'pscale_(?:tkn|pw|oauth)_[\\w.-]{32,}',
  'sb[ps]_[a-z]*_?[A-Za-z0-9_-]{20,}',
  'tskey-[a-z]+-\\w{6,}-\\w{16,}',
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
  // Hashes of passwords, tokens of the web
  '\\$2[abxy]\\$\\d\\d\\$[./A-Za-z0-9]{53}',
  '\\$(?:1|5|6|y|gy|7)\\$[./A-Za-z0-9$=,]{20,}',
  '\\$argon2(?:id|i|d)\\$[^\\s:"\'\\\\]{30,}',
  'eyJ[\\w-]{8,}\\.[\\w-]{8,}\\.[\\w-]{0,}(?:\\.[\\w-]+\\.[\\w-]+)?',
]

/** Nothing of a word before it; the n of a line end that is itself quoted (\\n) is none, nor is a percent-encoded byte. */
const TOKEN = new RegExp(`(?:(?<![A-Za-z0-9_])|(?<=\\\\[nrt]|%[0-9A-F]{2}))(?:${SHAPES.join('|')})`, 'g')

/** Secrets inside the address of a hook: whoever knows it may write there. */
const HOOKS =
  /(?:hooks\.slack\.com\/(?:services|workflows|triggers)\/|discord(?:app)?\.com\/api\/webhooks\/\d+\/|\.webhook\.office\.com\/webhookb2\/|api\.telegram\.org\/bot|(?:open\.feishu\.cn|open\.larksuite\.com)\/open-apis\/bot\/v2\/hook\/|qyapi\.weixin\.qq\.com\/cgi-bin\/webhook\/send\?key=)([\w/:.@-]{16,})/g

export function findTokens(text: string, into: Range[]): void {
  for (const found of text.matchAll(TOKEN)) into.push({ start: found.index, end: found.index + found[0].length })
  for (const found of text.matchAll(HOOKS)) {
    const end = found.index + found[0].length
    into.push({ start: end - (found[1]?.length ?? 0), end })
  }
}
