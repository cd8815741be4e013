/** Whether this is the long suite, `npm run test:faults`, which plays many more rounds. */
export const isLongSuite = process.env['MEDIATRAY_LONG_FAULTS'] === '1'
