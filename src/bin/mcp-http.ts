import type { McpServices } from '../mcp/api.ts'
import { McpHttp } from '../mcp/http.ts'

/** The part of the daemon that serves agents; a file of its own, loaded at the first request. */
export const openMcpHttp = (rooms: McpServices): McpHttp => new McpHttp(rooms)
