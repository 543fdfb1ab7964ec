import { all, type Range } from '../range.ts'
import { isPasswordLike } from './values.ts'

/** A call, or a list of arguments, of what logs in or hashes a password. */
const CALL =
  /(?:[Aa]uth(?:entication|_s)?|AUTH|simple_bind_s|PDO|hmac\.New|[Ll]og_?(?:[Ii]n|[Oo]n)|[Ss]ign_?[Ii]n|[Cc]onnect(?:ion)?|[Cc]redentials?|[Cc]reate_?[Uu]ser|bcrypt\.\w{1,20}|jwt\.\w{1,20}|createHmac|[Cc]ookieParser|Sequelize|FTP|SMTP|IMAP4?|Hash::make|hashpw|checkpw|password_(?:hash|verify))(?:::new)?[ \t]{0,3}=?[ \t]{0,3}(?:\(((?:[^()\n]|\([^()\n]{0,100}\)){3,300})\)|(?<=auth )(?=["'])([^\n]{3,100}))/g
const LITERAL = /(?<=[\s,(=[{:]|^)\\*(["'])([^"'\\]{6,40})\\*\1(?=[\s,)\]}]|$)/g

/** Passwords among the arguments of calls: literals that look like one, and no digests. */
export function findInCalls(text: string, into: Range[]): void {
  for (const call of all(CALL, text)) {
    const args = call[1] ?? call[2] ?? ''
    const at = call.index + call[0].length - args.length - (call[1] === undefined ? 0 : 1)
    for (const { index, 0: whole, 2: value = '' } of all(LITERAL, args)) {
      const start = at + index + whole.indexOf(value)
      if (isPasswordLike(value) && !/^[0-9a-f]{32,}$/.test(value)) into.push({ start, end: start + value.length })
    }
  }
}
