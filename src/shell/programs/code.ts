/**
 * Whether Python or JavaScript code on the command line only reads. It does when every module it loads, every function
 * it calls and every name it mentions is known to only read; anything unknown may do anything.
 */

type Language = 'python' | 'node'

interface Token {
  readonly kind: 'name' | 'text' | 'sign'
  readonly value: string
}

/** Longer code is not analysed: it would take too long, and code that only reads is rarely that long. */
const LONGEST = 50_000

export function onlyReads(code: string, language: Language): boolean {
  if (code.length > LONGEST) return false
  const tokens = tokensOf(code, language)
  return tokens !== undefined && RULES[language](tokens)
}

const words = (text: string): ReadonlySet<string> => new Set(text.split(/\s+/))

const PYTHON_MODULES = words(
  `json sys re math datetime time collections itertools functools statistics string textwrap typing platform random decimal
   fractions csv base64 hashlib uuid urllib pprint struct ast inspect pkgutil glob pathlib os tomllib calendar locale zlib
   operator heapq bisect enum dataclasses types site sysconfig socket ssl secrets unicodedata html numpy np pandas pd torch
   tensorflow requests yaml toml flask django fastapi pydantic scipy sklearn matplotlib PIL cv2 transformers httpx aiohttp
   sqlalchemy pytest click rich openai anthropic boto3 redis psycopg2 jinja2 setuptools pip importlib xml`,
)

const PYTHON_CALLS = words(
  `print len sorted list dict set frozenset str int float complex bool bytes bytearray tuple range enumerate zip map filter
   sum min max any all abs round divmod pow type isinstance issubclass repr getattr hasattr dir vars help hex bin oct ord chr
   input format iter next reversed id hash open load loads dumps safe_load keys values items get split rsplit join strip
   lstrip rstrip startswith endswith replace lower upper title capitalize find rfind count index read readlines readline
   splitlines encode decode append extend add pop insert update copy group groups groupdict match search findall finditer sub
   fullmatch compile escape now today utcnow strftime strptime isoformat fromisoformat fromtimestamp timestamp time
   perf_counter monotonic ctime date datetime timedelta exists isfile isdir islink getcwd listdir scandir getsize getmtime
   stat lstat basename dirname abspath realpath relpath splitext walk glob rglob iterdir read_text read_bytes is_file is_dir
   Path PurePath resolve absolute relative_to Counter most_common defaultdict OrderedDict namedtuple deque pprint head tail
   describe info exit version python_version platform system machine node architecture randint random choice sqrt floor
   ceil log sin cos gcd factorial mean median mode stdev reader DictReader b64encode b64decode md5 sha1 sha256 sha512
   hexdigest digest uuid4 urlparse parse_qs quote unquote literal_eval parse signature getsource getsitepackages is_available
   device_count array reshape arange zeros ones unique tolist read_csv read_json value_counts groupby urlopen gethostname
   get_distribution zfill ljust rjust center isdigit isalpha partition sleep getenv cpu_count environ expandvars
   expanduser json status_code super getroot fromstring tostring itertext`,
)

/** Names that change something, even when they are only mentioned: `map(os.remove, files)`. */
const PYTHON_CHANGES = words(
  `remove unlink rmdir rmtree rename renames system popen exec eval execfile write writelines write_text write_bytes mkdir
   makedirs touch chmod chown symlink link truncate run call Popen check_output check_call __import__ import_module dump
   to_csv to_json to_excel to_parquet to_pickle save savez savetxt savefig urlretrieve copyfile copytree move subprocess
   shutil extractall putenv spawn fork kill sqlite3 tempfile reload_module FileHandler globals setattr delattr`,
)

function pythonReads(tokens: readonly Token[]): boolean {
  const own = new Set(after(tokens, ['def', 'class', 'lambda']))
  for (const [at, { kind, value }] of tokens.entries()) {
    if (kind !== 'name') continue
    const [before, next] = [tokens[at - 1]?.value, tokens[at + 1]?.value]
    if (value === 'write' && before === '.' && /^(stdout|stderr)$/.test(tokens[at - 2]?.value ?? '')) continue
    if (PYTHON_CHANGES.has(value) && !asksPlatform(tokens, at)) return false
    if (value === 'replace' && replacesFiles(tokens, at)) return false
    if (value === 'open' && !(next === '(' && opensToRead(tokens, at + 1, before === '.' ? 0 : 1))) return false
    if ((value === 'import' || value === 'from') && !loadsKnown(tokens, at)) return false
    if (next === '(' && !PYTHON_CALLS.has(value) && !own.has(value) && !PYTHON_WORDS.has(value)) return false
  }
  return !callsResult(tokens)
}

/** `platform.system()` is harmless; `os.system` is not. */
const asksPlatform = (tokens: readonly Token[], at: number): boolean =>
  tokens[at]?.value === 'system' && tokens[at - 1]?.value === '.' && tokens[at - 2]?.value === 'platform'

/**
 * `os.replace`, and `replace` of a path: where code mentions paths, text methods cannot be distinguished from theirs.
 */
const replacesFiles = (tokens: readonly Token[], at: number): boolean =>
  tokens[at - 2]?.value === 'os' || tokens.some(({ value }) => value === 'pathlib' || value === 'Path')

/** A call of a computed name cannot be looked up. */
const callsResult = (tokens: readonly Token[]): boolean =>
  tokens.some(
    ({ kind, value }, at) => kind === 'sign' && (value === ']' || value === ')') && tokens[at + 1]?.value === '(',
  )

const PYTHON_WORDS = words(
  'if elif else while for in and or not return yield assert print lambda is except with as del raise',
)

/** `import a.b as c, d` and `from a import b`. Names imported with `from` are checked where they are called. */
function loadsKnown(tokens: readonly Token[], at: number): boolean {
  if (tokens[at]?.value === 'import' && isImportOf(tokens, at)) return true
  let expectsModule = true
  for (let i = at + 1; i < tokens.length; i++) {
    const { kind, value } = tokens[i] as Token
    if (value === ';' || value === '\n' || value === 'import') break
    if (expectsModule && kind === 'name' && !PYTHON_MODULES.has(value)) return false
    expectsModule = value === ','
  }
  return true
}

/** The `import` of a `from … import …`. */
function isImportOf(tokens: readonly Token[], at: number): boolean {
  for (let i = at - 1; i >= 0; i--) {
    const value = tokens[i]?.value
    if (value === ';' || value === '\n') return false
    if (value === 'from') return true
  }
  return false
}

/** The position of the mode: after the path or, for a method of a path, first. */
function opensToRead(tokens: readonly Token[], open: number, mode: number): boolean {
  let depth = 0
  let arg = 0
  for (let i = open; i < tokens.length; i++) {
    const { kind, value } = tokens[i] as Token
    if (kind === 'sign' && '([{'.includes(value)) depth++
    if (kind === 'sign' && ')]}'.includes(value)) depth--
    if (depth === 0) return true
    if (depth !== 1 || (kind === 'sign' && value !== ',')) continue
    if (value === ',' && kind === 'sign') arg++
    else if (arg >= mode && kind === 'text' && tokens[i - 1]?.value !== '=' && !/^[rbtU]*$/.test(value)) return false
    else if (arg >= mode && kind === 'name' && !/^(encoding|errors|newline|mode)$/.test(value)) return false
    else if (
      kind === 'text' &&
      tokens[i - 1]?.value === '=' &&
      tokens[i - 2]?.value === 'mode' &&
      !/^[rbtU]*$/.test(value)
    )
      return false
  }
  return false
}

const NODE_MODULES =
  /^(node:)?(fs|path|os|util|url|crypto|process|querystring|zlib|module|assert|buffer)$|\.json$|^(semver|typescript|lodash|react|express|vite)(\/package\.json)?$/

const NODE_CALLS = words(
  `log error warn info table dir stringify parse keys values entries fromEntries map filter forEach reduce join split slice
   sort reverse find findIndex some every includes indexOf lastIndexOf test match matchAll replace replaceAll trim trimStart
   trimEnd toString readFileSync readFile existsSync statSync lstatSync readdirSync realpathSync accessSync resolve cwd
   memoryUsage uptime hrtime now Date Number String Boolean Array Object Symbol BigInt parseInt parseFloat isNaN isInteger
   from of fetch then catch finally json text require digest update createHash randomBytes randomUUID exit isArray push
   concat flat flatMap at pop shift unshift Set Map URL URLSearchParams get has set add padEnd padStart repeat toFixed
   toISOString toLocaleString toUpperCase toLowerCase charCodeAt charAt startsWith endsWith max min floor ceil round abs
   sqrt pow random cpus totalmem freemem platform arch hostname homedir tmpdir release basename dirname extname relative
   normalize inspect format setTimeout all allSettled encodeURIComponent decodeURIComponent structuredClone isBuffer byteLength
   getTime getFullYear Intl DateTimeFormat resolvedOptions localeCompare fill RegExp exec Error Promise print assign freeze`,
)

const NODE_CHANGES =
  /^(write\w+|append\w+|rm|rmSync|rmdir\w*|unlink\w*|mkdir\w*|mkdtemp\w*|rename\w*|copyFile\w*|cp|cpSync|truncate\w*|ftruncate\w*|chmod\w*|chown\w*|symlink\w*|link|linkSync|utimes\w*|open|openSync|createWriteStream|execSync|execFile\w*|spawn\w*|fork|eval|Function|child_process|binding|dlopen|Worker|vm|promises|import)$/

function nodeReads(tokens: readonly Token[]): boolean {
  const own = new Set([...after(tokens, ['function', 'const', 'let', 'var', 'class']), 'function', 'async'])
  const modules = new Set(['fs', ...tokens.filter((_, at) => isModule(tokens, at)).map(({ value }) => value)])
  for (const [at, { kind, value }] of tokens.entries()) {
    if (kind !== 'name') continue
    const [before, next] = [tokens[at - 1]?.value, tokens[at + 1]?.value]
    if (value === 'write' && before === '.' && /^(stdout|stderr)$/.test(tokens[at - 2]?.value ?? '')) continue
    if (value === 'import' && next === '.' && tokens[at + 2]?.value === 'meta') continue
    if (NODE_CHANGES.test(value)) return false
    if (value === 'require' && next === '(' && !requiresKnown(tokens, at + 2)) return false
    if (next === '(' && !NODE_CALLS.has(value) && !own.has(value) && !NODE_WORDS.has(value)) return false
    if (next === '[' && modules.has(value)) return false
  }
  return !callsResult(tokens)
}

/** `f = require(…)`: the function `f[name]` cannot be looked up. */
const isModule = (tokens: readonly Token[], at: number): boolean =>
  tokens[at + 1]?.value === '=' && tokens[at + 2]?.value === 'require'

const NODE_WORDS = words(
  'if for while switch catch return typeof new await of in throw else void delete instanceof do case',
)

function requiresKnown(tokens: readonly Token[], at: number): boolean {
  const [name, end] = [tokens[at], tokens[at + 1]]
  return name?.kind === 'text' && end?.value === ')' && NODE_MODULES.test(name.value)
}

const RULES: Readonly<Record<Language, (tokens: readonly Token[]) => boolean>> = {
  python: pythonReads,
  node: nodeReads,
}

/** The names after these keywords: what the code itself defines. */
const after = (tokens: readonly Token[], keywords: readonly string[]): string[] =>
  tokens.flatMap((token, at) =>
    keywords.includes(tokens[at - 1]?.value ?? '') && token.kind === 'name' ? [token.value] : [],
  )

const TOKEN = {
  python:
    /(?<skip>#[^\n]*|[ \t\r\\]+)|(?<text>[rbuRBU]{0,2}(?:"""[^]*?"""|'''[^]*?'''|"(?:[^"\\\n]|\\[^])*"|'(?:[^'\\\n]|\\[^])*'))|(?<live>[fF][rR]?(?:"""[^]*?"""|'''[^]*?'''|"(?:[^"\\\n]|\\[^])*"|'(?:[^'\\\n]|\\[^])*'))|(?<name>[A-Za-z_]\w*)|(?<sign>\d[\w.]*|\n|[^"'])/y,
  node: /(?<skip>\/\/[^\n]*|\/\*[^]*?\*\/|\s+)|(?<text>"(?:[^"\\\n]|\\[^])*"|'(?:[^'\\\n]|\\[^])*')|(?<live>`(?:[^`\\]|\\[^])*`)|(?<name>[A-Za-z_$][\w$]*)|(?<sign>[^"'`])/y,
} as const

/** Undefined when the code cannot be tokenised. Also reads the code inside template strings. */
function tokensOf(code: string, language: Language): Token[] | undefined {
  const tokens: Token[] = []
  const pattern = new RegExp(TOKEN[language])
  for (let at = 0; at < code.length; at = pattern.lastIndex) {
    pattern.lastIndex = at
    const found = pattern.exec(code)?.groups
    if (found === undefined) return undefined
    const { text, live, name, sign } = found
    if (text !== undefined) tokens.push({ kind: 'text', value: text.replace(/^\w*("""|'''|["'])([^]*)\1$/, '$2') })
    else if (name !== undefined) tokens.push({ kind: 'name', value: name })
    else if (sign !== undefined) tokens.push({ kind: 'sign', value: sign })
    else if (live !== undefined) {
      const inner = tokensOf(live.replace(/^\w*/, '').replace(/["'`]/g, ' '), language)
      // The mode of `open` is a text, and texts inside of texts are not read.
      if (inner === undefined || /\bopen\s*\([^)]*,/.test(live)) return undefined
      const calls = live.includes('{') ? inner : []
      tokens.push({ kind: 'text', value: '' }, { kind: 'sign', value: ';' }, ...calls.flatMap(asCode))
    }
  }
  return tokens
}

/** Plain words of a template string are not code: only calls count. */
const asCode = (token: Token, at: number, all: Token[]): Token[] =>
  token.kind === 'name' && all[at + 1]?.value !== '(' ? [] : [token]
