import fc from 'fast-check'

/** Properties take their seed from TIMEWARP_SEED; without it from chance. What fails prints it. */
const given = process.env['TIMEWARP_SEED']
if (given !== undefined) fc.configureGlobal({ seed: Number(given) })
