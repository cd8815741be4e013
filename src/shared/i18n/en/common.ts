import type { Catalogue } from '../translate.ts'

/** Counts, states, outcomes and reasons: said alike in the list, the tray, the notifications and the command line. */
export const common = {
  count: {
    files: { one: '{count} file', other: '{count} files' },
    photos: { one: '{count} photo', other: '{count} photos' },
    videos: { one: '{count} video', other: '{count} videos' },
    jobs: { one: '{count} job', other: '{count} jobs' },
    problems: { one: '{count} problem', other: '{count} problems' },
    variations: { one: '{count} variation', other: '{count} variations' },
    results: { one: '{count} result', other: '{count} results' },
  },
  name: {
    more: '+ {count} more',
    driveFolder: 'Drive folder {id}',
  },
  preset: {
    basic: 'basic defaults',
  },
  time: {
    seconds: '{seconds} s',
    minutes: '{minutes} min',
    minutesSeconds: '{minutes} min {seconds} s',
    hours: '{hours} h',
    hoursMinutes: '{hours} h {minutes} min',
    left: 'about {time} left',
    leftStart: 'About {time} left',
    soFar: '{time} so far',
  },
  stage: {
    working: 'Working',
    next: 'Next',
    position: '{position}',
    cancelling: 'Cancelling…',
    uploading: 'Done here, uploading to Drive',
    fileOf: '{phase} {file} of {files}',
    sending: 'Sending',
    sendingShare: 'Sending, {percent}',
  },
  waiting: {
    undo: 'Starts in a moment',
    offline: 'Waits for the service',
    paused: 'Paused',
    keyRefused: 'Waits for a new API key',
    wrongVersion: 'Waits for a fitting version of the service',
    unconfigured: 'Waits until a service is chosen',
    diskFull: 'Waits: the disk is almost full',
  },
  outcome: {
    done: 'Done',
    problems: { one: 'Done with {count} problem', other: 'Done with {count} problems' },
    failed: 'Failed: {reason}',
    failedPlain: 'Failed',
    cancelled: 'Cancelled',
    cancelledAfter: 'Cancelled after {done} of {count}',
    forgotten: 'The service lost track of this one',
    refused: 'Refused: {reason}',
    unknown: 'Did the service get this job?',
  },
  offline: {
    refused: 'The service isn’t running',
    silent: 'The service doesn’t answer',
    notTheService: 'Something else answers at {address}',
    builtInFailed: 'The built-in service can’t start',
  },
  connection: {
    unconfigured: 'No service chosen',
    connecting: 'Connecting…',
    online: 'Connected, {address}',
    onlineBuiltIn: 'Built-in service is running',
    keyRefused: 'The service rejected the API key',
    wrongVersion: 'The service is version {version}',
  },
  serviceError: {
    notReachable:
      'The service can’t be reached. Nothing was sent. Start its app, or use the built-in service.',
    noAnswer:
      'The service did not answer in time. It may have got the request; look at the job list before sending it again.',
    unauthorized: 'The service rejected the API key. Nothing was done. Enter the key from its API settings.',
    notFound: 'The service no longer knows this. Finished jobs are forgotten there after an hour.',
    conflict: 'That is not possible any more: the job has moved on.',
    refused: 'The service refused this. Your files are unchanged. Mend what it names and try again.',
    driveNotReady:
      'The service isn’t connected to Drive. Nothing was sent. Connect it in that app, then try again.',
    queueFull: 'The queue of the service is full. Nothing is lost; it is sent when there is room.',
    serverError: 'The service had an internal error. Look at the job list before sending it again.',
    badResponse: 'The service answered with something that can’t be understood ({route}: {field}).',
    localFile: 'A file on this computer can’t be read or written. Nothing was changed.',
    aborted: 'Stopped.',
  },
} as const satisfies Catalogue
