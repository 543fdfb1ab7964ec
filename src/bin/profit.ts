import { type ClientHook, SERVICES, type Services } from '../cli/context.ts'
import { daemonFilesOf, socketOf } from '../client/daemon-files.ts'
import { loadSettings } from '../config/settings.ts'
import { findTool } from '../protocol/catalogue.ts'

/** The services of a command line; they record whether a daemon would have been useful. `isServed`: one runs. */
export function watchRooms(isServed: boolean): { rooms: Services; homeToServe: () => string | undefined } {
  let home: string | undefined
  let profits = false
  const rooms: Services = {
    open: async (options) => {
      home = options.daemon ? options.home : undefined
      const store = await SERVICES.open(options)
      return {
        ...store,
        call: async (call, name, input) => {
          profits ||= (await findTool(name)?.load())?.usesWatch === true
          return store.call(call, name, input)
        },
      }
    },
    daemon: serveHome,
    // A daemon that runs has just not answered in time, or declined: it is not asked again.
    hook: async (...hook) => (isServed ? undefined : handHook(...hook)),
  }
  const homeToServe = () => (home && profits && loadSettings(home, undefined).daemon ? home : undefined)
  return { rooms, homeToServe }
}

/** Makes sure that a daemon serves, unless the settings of the home turn it off. */
async function serveHome(home: string): Promise<string | undefined> {
  if (!loadSettings(home, undefined).daemon) return undefined
  const { daemonInfoOf, ensure } = await import('../client/start.ts')
  const place = daemonFilesOf(home, process.env)
  await ensure(home, process.argv[1] ?? '', place)
  return daemonInfoOf(place)?.url
}

async function handHook(home: string, hook: ClientHook): Promise<string | undefined> {
  if (!loadSettings(home, undefined).daemon) return undefined
  await serveHome(home)
  const { askHook } = await import('../client/hook.ts')
  return (await askHook({ ...hook, socket: socketOf(home, process.env) })).text
}
