import {
  type Guard,
  type GuardEvent,
  type HookEnvironment,
  ignored,
  object,
  type ParsedPayload,
  type Payload,
  text,
} from './event.ts'

/** Any other client: it sends `record_event` input as it is, and gets the output as it is. */
export const generic: Guard = {
  hear: (payload: Payload, around: HookEnvironment): ParsedPayload => {
    if (text(payload['event']) === undefined) return ignored('it has no "event"')
    if (text(payload['session_id']) === undefined) return ignored('it has no "session_id"')
    const workspace = text(payload['workspace']) ?? around.project ?? text(payload['cwd'])
    if (workspace === undefined) return ignored('it names no "workspace"')
    return { events: [{ client: 'generic', ...payload, workspace } as unknown as GuardEvent] }
  },
  reply: (_payload, verdicts): string => (verdicts[0] === undefined ? '' : JSON.stringify(object(verdicts[0]))),
}
