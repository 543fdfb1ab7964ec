/** What a tool answered, without the contents of files that no model is to see. Every answer passes here. */
export type Conceal = (tool: string, output: object) => object

export const asItIs: Conceal = (_, output) => output
