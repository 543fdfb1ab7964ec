import { drawer, KINDS, lot, type Planted } from './secrets.ts'

/** The places in which a secret turns up in a conversation. */
const PLACES: readonly ((text: string) => string)[] = [
  (text) => text,
  (text) => `Here is what I use:\n${text}\nCan you check why the deploy fails?`,
  (text) => `I ran the script and got this:\n\n\`\`\`\n$ ./deploy.sh\n${text}\nexit status 1\n\`\`\`\n`,
  (text) =>
    `[tool:Bash] {"command":${JSON.stringify(`cat config && echo done`)},"output":${JSON.stringify(`a\n${text}\nb`)}}`,
  (text) =>
    JSON.stringify({
      type: 'tool_result',
      content: [{ type: 'text', text: JSON.stringify({ stdout: text, code: 0 }) }],
    }),
  (text) =>
    `diff --git a/conf b/conf\n--- a/conf\n+++ b/conf\n@@ -1,2 +1,2 @@\n one\n${text
      .split('\n')
      .map((l) => `+${l}`)
      .join('\n')}\n two\n`,
  (text) => `> ${text.split('\n').join('\n> ')}\n\nThat is what the log says.`,
  (text) => `第一步：运行下面的命令\n${text}\n然后告诉我结果`,
]

/** At least three places for each kind: every one of them plain, and two drawn by lot. */
export function plantedChats(seed: number): Planted[] {
  const random = lot(seed)
  const draw = drawer(random)
  return Object.entries(KINDS).flatMap(([kind, make]) =>
    PLACES.map((place, i) => {
      const made = make(draw)
      return { ...made, kind: `${kind} (${i})`, text: place(made.text) }
    }),
  )
}
