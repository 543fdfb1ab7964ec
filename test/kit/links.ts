import { globSync, lstatSync, readFileSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** Links of all Markdown files below `root` that lead to no file, or to no heading of the file: `FILE: TARGET`. */
export function brokenLinks(root: string): string[] {
  return markdownFiles(root).flatMap((file) =>
    linksOf(readFileSync(join(root, file), 'utf8'))
      .filter((target) => !leadsSomewhere(root, file, target))
      .map((target) => `${file}: ${target}`),
  )
}

/** Files and folders of the repository that a document names in code, and that do not exist: `FILE: PATH`. */
export function missingPaths(root: string): string[] {
  return markdownFiles(root).flatMap((file) =>
    [...readFileSync(join(root, file), 'utf8').matchAll(/`((?:src|test|scripts|bench|soak|docs)\/[^`\s]+)`/g)]
      .map(([, path = '']) => path)
      .filter((path) => globSync(path, { cwd: root }).length === 0)
      .map((path) => `${file}: ${path}`),
  )
}

export const markdownFiles = (root: string): string[] =>
  globSync(['*.md', '{bench,docs,soak,src,test,plugins,skills}/**/*.md'], { cwd: root })
    .filter((file) => lstatSync(join(root, file)).isFile())
    .toSorted()

/** Targets inside the repository, of links and images. Code is left out: it may hold anything. */
export function linksOf(markdown: string): string[] {
  const prose = markdown.replace(/^(```|~~~)[^]*?^\1/gm, '').replace(/`[^`\n]*`/g, '`')
  const inline = [...prose.matchAll(/\]\(<?([^)\s>]+)>?(?: "[^"]*")?\)/g)]
  const html = [...prose.matchAll(/(?:src|href)="([^"]+)"/g)]
  return [...inline, ...html].map(([, target = '']) => target).filter((target) => !/^[a-z]+:/.test(target))
}

function leadsSomewhere(root: string, file: string, target: string): boolean {
  const [path = '', anchor] = target.split('#')
  const at = path === '' ? join(root, file) : join(root, dirname(file), decodeURIComponent(path))
  const found = statSync(at, { throwIfNoEntry: false })
  if (found === undefined || !at.startsWith(root)) return false
  return anchor === undefined || (found.isFile() && anchorsOf(readFileSync(at, 'utf8')).includes(anchor))
}

/** Headings as a page of Markdown names them: small letters, no punctuation, hyphens for spaces, numbers for repetitions. */
export function anchorsOf(markdown: string): string[] {
  const seen = new Map<string, number>()
  const prose = markdown.replace(/^(```|~~~)[^]*?^\1/gm, '')
  return [...prose.matchAll(/^#{1,6} +(.+?) *#*$/gm)].map(([, heading = '']) => {
    const text = heading.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').replace(/[`*]/g, '')
    const name = text
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replace(/\s/g, '-')
    const times = seen.get(name) ?? 0
    seen.set(name, times + 1)
    return times === 0 ? name : `${name}-${times}`
  })
}
