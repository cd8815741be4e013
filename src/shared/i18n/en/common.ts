import type { Catalogue } from '../translate.ts'

/** Counts, states, outcomes and reasons: said alike in the list, the tray, the notifications and the command line. */
export const common = {
  'count.files': { one: '{count} file', other: '{count} files' },
  'count.photos': { one: '{count} photo', other: '{count} photos' },
  'count.videos': { one: '{count} video', other: '{count} videos' },
  'count.jobs': { one: '{count} job', other: '{count} jobs' },
  'count.problems': { one: '{count} problem', other: '{count} problems' },
  'count.variations': { one: '{count} variation', other: '{count} variations' },
  'count.results': { one: '{count} result', other: '{count} results' },
  'name.more': '+ {count} more',
  'name.driveFolder': 'Drive folder {id}',

  'preset.basic': 'basic defaults',

  'time.seconds': '{seconds} s',
  'time.minutes': '{minutes} min',
  'time.minutesSeconds': '{minutes} min {seconds} s',
  'time.hours': '{hours} h',
  'time.hoursMinutes': '{hours} h {minutes} min',
  'time.left': 'about {time} left',
  'time.leftStart': 'About {time} left',
  'time.soFar': '{time} so far',

  'stage.working': 'Working',
  'stage.next': 'Next',
  'stage.position': '{position}',
  'stage.cancelling': 'Cancelling…',
  'stage.uploading': 'Done here, uploading to Drive',
  'stage.fileOf': '{phase} {file} of {files}',
  'stage.sending': 'Sending',
  'stage.sendingShare': 'Sending, {percent}',

  'waiting.undo': 'Starts in a moment',
  'waiting.offline': 'Waits for the service',
  'waiting.paused': 'Paused',
  'waiting.keyRefused': 'Waits for a new API key',
  'waiting.wrongVersion': 'Waits for a fitting version of the service',
  'waiting.unconfigured': 'Waits until a service is chosen',
  'waiting.diskFull': 'Waits: the disk is almost full',

  'outcome.done': 'Done',
  'outcome.problems': { one: 'Done with {count} problem', other: 'Done with {count} problems' },
  'outcome.failed': 'Failed: {reason}',
  'outcome.failedPlain': 'Failed',
  'outcome.cancelled': 'Cancelled',
  'outcome.cancelledAfter': 'Cancelled after {done} of {count}',
  'outcome.forgotten': 'The service lost track of this one',
  'outcome.refused': 'Refused: {reason}',
  'outcome.unknown': 'Did the service get this job?',
  'outcome.summary': '{done} of {count} files, {problems}',

  'offline.refused': 'The service isn’t running',
  'offline.silent': 'The service doesn’t answer',
  'offline.notTheService': 'Something else answers at {address}',
  'offline.builtInFailed': 'The built-in service can’t start',
  'connection.unconfigured': 'No service chosen',
  'connection.connecting': 'Connecting…',
  'connection.online': 'Connected, {address}',
  'connection.onlineBuiltIn': 'Built-in service is running',
  'connection.keyRefused': 'The service rejected the API key',
  'connection.wrongVersion': 'The service is version {version}',

  'error.notReachable':
    'The service can’t be reached. Nothing was sent. Start its app, or use the built-in service.',
  'error.noAnswer':
    'The service did not answer in time. It may have got the request; look at the job list before sending it again.',
  'error.unauthorized':
    'The service rejected the API key. Nothing was done. Enter the key from its API settings.',
  'error.notFound': 'The service no longer knows this. Finished jobs are forgotten there after an hour.',
  'error.conflict': 'That is not possible any more: the job has moved on.',
  'error.refused': 'The service refused this. Your files are unchanged. Mend what it names and try again.',
  'error.driveNotReady':
    'The service isn’t connected to Drive. Nothing was sent. Connect it in that app, then try again.',
  'error.queueFull': 'The queue of the service is full. Nothing is lost; it is sent when there is room.',
  'error.serverError': 'The service had an internal error. Look at the job list before sending it again.',
  'error.badResponse': 'The service answered with something that can’t be understood ({route}: {field}).',
  'error.localFile': 'A file on this computer can’t be read or written. Nothing was changed.',
  'error.aborted': 'Stopped.',
} as const satisfies Catalogue
