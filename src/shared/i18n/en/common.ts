import { FOLDER_ID_PROBLEMS } from '../../drive-folder.ts'
import type { Catalogue } from '../translate.ts'

/** Counts, states, outcomes and reasons, shared by the list, the tray, the notifications and the command line. */
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
  phrase: {
    quoted: '“{text}”',
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
    cancelling: 'Canceling…',
    unreadable: 'Couldn’t read the service’s report ({field})',
    uploading: 'Processed, uploading to Drive',
    fileOf: '{phase} {file} of {files}',
    sending: 'Sending',
    sendingShare: 'Sending, {percent}',
  },
  phase: {
    waiting: 'Waiting',
    discovering: 'Finding files',
    starting: 'Starting',
    fetching: 'Fetching',
    reading: 'Reading',
    processing: 'Processing',
    saving: 'Saving',
    encoding: 'Encoding',
    copying: 'Copying',
    measuring: 'Measuring quality',
    finishing: 'Finishing',
    uploading: 'Uploading',
    done: 'Done',
    fetchingResults: 'Fetching results',
  },
  waiting: {
    undo: 'Starts in a moment',
    offline: 'Waiting for the service',
    paused: 'Paused',
    keyRefused: 'Waiting for a new API key',
    wrongVersion: 'Waiting for a compatible service version',
    unconfigured: 'Waiting for you to choose a service',
    diskFull: 'Waiting for disk space',
  },
  outcome: {
    done: 'Done',
    problems: { one: 'Done with {count} problem', other: 'Done with {count} problems' },
    failed: 'Failed: {reason}',
    failedPlain: 'Failed',
    cancelled: 'Canceled',
    cancelledAfter: 'Canceled after {done} of {count}',
    forgotten: 'The service no longer knows this job',
    refused: 'Refused: {reason}',
    unknown: 'Did the service receive this job?',
  },
  offline: {
    refused: 'The service isn’t running',
    silent: 'The service isn’t responding',
    notTheService: 'A different program is using {address}',
    builtInFailed: 'Couldn’t start the built-in service',
  },
  connection: {
    unconfigured: 'No service selected',
    connecting: 'Connecting…',
    online: 'Connected, {address}',
    onlineBuiltIn: 'Built-in service is running',
    keyRefused: 'The service rejected the API key',
    wrongVersion: 'The service is version {version}',
  },
  drive: {
    noRclone:
      'Couldn’t find rclone. Install it from https://rclone.org/install/ or set its location in Settings.',
    noRemote: 'No cloud drive is selected. Choose one of your rclone remotes.',
    unknownRemote: 'rclone has no remote named {name}. Add one with “rclone config”.',
    notListed: 'Couldn’t list the rclone remotes: {reason}.',
    noSuchFolder: 'This folder doesn’t exist in the cloud drive: {id}',
    notAFolder: 'This is a file in the cloud drive, not a folder: {id}',
    ...FOLDER_ID_PROBLEMS,
  },
  serviceError: {
    notReachable: 'Couldn’t reach the service. Nothing was sent. Start its app or use the built-in service.',
    noAnswer:
      'The service didn’t respond in time. It may have received the request. Check the job list before you send it again.',
    unauthorized:
      'The service rejected the API key. Nothing was changed. Enter the key from its API settings.',
    notFound: 'The service no longer has this job. It removes finished jobs after an hour.',
    conflict: 'That’s no longer possible: the job’s state has changed.',
    refused:
      'The service refused the request. Your files are unchanged. Fix the problem it names and try again.',
    driveNotReady:
      'The service isn’t connected to Drive. Nothing was sent. Connect it in that app, then try again.',
    queueFull: 'The service’s queue is full. Nothing is lost; the job is sent when there’s room.',
    serverError: 'The service had an internal error. Check the job list before you send it again.',
    badResponse: 'The service sent an invalid response ({route}: {field}).',
    localFile: 'Couldn’t read or write a file on this computer. Nothing was changed.',
    aborted: 'Stopped.',
  },
} as const satisfies Catalogue
