/** Checks whether success criteria can be verified. Pure. */

/** Words of feeling, comparisons without a measure, and words without a meaning of their own. */
const EMPTY = new Set(
  `a an the it its is are be been being was were will would should shall must can could may might do does did to of in on
   at by for from with without and or but not no nor so as than then that this these those there here we i you they he she
   all any some every each more most less least much many very really quite just even still again now user users agent
   agents thing things stuff way everything something anything better good great nice well best improved improve improves
   improvement smoother smooth smoothly faster fast quick quicker quickly slower easier easy easily cleaner clean simple
   simpler nicer happier happy pleasant comfortable robust stable stability reliable reliably reliability efficient
   efficiently efficiency smart smarter intuitive seamless seamlessly work works working worked fine ok okay right properly
   correctly correct expected normal normally usual experience feel feels feeling quality performance friction problem
   problems issue issues trouble optimal optimized optimised optimize optimise enhanced enhance flow flows run runs running
   fix fixed fixes solved resolved go goes make makes get gets become becomes have has feels less`.split(/\s+/),
)

const EMPTY_CJK = [
  '更加',
  '更',
  '顺畅',
  '流畅',
  '顺滑',
  '顺利',
  '体验',
  '感觉',
  '舒服',
  '舒适',
  '稳定',
  '可靠',
  '正常',
  '工作',
  '运行',
  '良好',
  '优秀',
  '好用',
  '好',
  '快速',
  '快',
  '慢',
  '高效',
  '效率',
  '智能',
  '聪明',
  '方便',
  '简单',
  '友好',
  '完善',
  '改善',
  '改进',
  '提升',
  '提高',
  '优化',
  '解决',
  '修复',
  '问题',
  '摩擦',
  '用户',
  '一点',
  '一些',
  '起来',
  '应该',
  '能够',
  '可以',
  '不再',
  '没有',
  '出现',
  '非常',
  '比较',
  '变得',
  '变',
  '让',
  '使',
  '能',
  '会',
  '要',
  '很',
  '的',
  '了',
  '地',
  '得',
  '点',
  '是',
]

/** Something that can be checked: a number, code, a path, a flag, a quotation, a name such as ENOENT. */
const CONCRETE =
  /\d|`[^`]+`|["'“”「」«»][^"'“”「」«»]{2,}["'“”「」«»]|[\w-]+\/[\w.-]+|\B--?[a-z]\w*|\b[A-Z]{3,}\b|[a-z][A-Z]|<=|>=|≤|≥/

/** Why the criteria are too vague; undefined when they are not. */
export function whyVague(criteria: string): string | undefined {
  const left = meaningful(criteria)
  if (left === 0) return 'it names a feeling, not a result'
  if (left < 2 && !CONCRETE.test(criteria)) return 'it does not say what is to be seen, and how'
  return undefined
}

/** The number of meaningful words; two Chinese, Japanese or Korean characters count as one. */
function meaningful(text: string): number {
  const words = (text.toLowerCase().match(/[\p{Script=Latin}\p{N}_-]+/gu) ?? []).filter((word) => !EMPTY.has(word))
  let rest = (text.match(/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]+/gu) ?? []).join('')
  for (const word of EMPTY_CJK) rest = rest.split(word).join('')
  const other =
    text.match(/[^\p{Script=Latin}\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\P{L}]+/gu) ?? []
  return words.length + Math.floor(rest.length / 2) + other.length
}
