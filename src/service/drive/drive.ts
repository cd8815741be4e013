/** The service's interface to the cloud drive: a source of inputs and a target for results. */
import { FailureError } from '../../shared/failure/failure-error.ts'
import { failure, type Failure, type Reason } from '../../shared/failure/failure.ts'
import type { DriveStatus } from '../../shared/api/resources.ts'
import type { DriveEntry, DriveTrouble, FailureKind } from '../../node/rclone/index.ts'

export type DriveReadiness =
  | {
      readonly status: DriveStatus
      readonly ready: true
      /** Opens a folder by ID without checking that it exists. Listing the folder shows whether it does. */
      open(id: string): FolderOpening
    }
  | {
      readonly status: DriveStatus
      readonly ready: false
      readonly notReady: Failure
    }

export type FolderOpening =
  | { readonly ok: true; readonly folder: DriveFolder }
  | { readonly ok: false; readonly problem: Reason }

export type Drive = {
  /** Returns the cached state. If it is missing or too old, first waits for the drive, but only briefly. */
  readiness(): Promise<DriveReadiness>
  /** Aborts pending status requests. Opened folders aren't affected. */
  close(): Promise<void>
}

export type TransferControl = {
  readonly signal: AbortSignal
  /** @param share fraction of this file that has been transferred, 0..1 */
  onProgress?(share: number): void
}

export type TogetherControl = {
  readonly signal: AbortSignal
  /** @param path of the complete file */
  readonly onArrived: (name: string, path: string) => void
}

/** A folder of the drive that was selected when the folder was opened. All methods throw DriveFailure, or `signal.reason`. */
export type DriveFolder = {
  readonly id: string
  /** Lists the direct contents, including folders. */
  list(signal: AbortSignal): Promise<readonly DriveEntry[]>
  /**
   * Downloads a file under a name that we choose, so that the drive's name can't lead outside the folder.
   * @param into an empty folder on this computer
   * @returns the file's path in that folder
   */
  fetch(name: string, into: string, control: TransferControl): Promise<string>
  /**
   * Downloads several files in about the time of one. Doesn't report files that fail; downloading them individually shows the
   * reason.
   * @param names valid as local file names
   * @param into an empty folder on this computer
   */
  fetchTogether(names: readonly string[], into: string, control: TogetherControl): Promise<void>
  /** Returns whether the file with this name has the same content as a local file. May download the drive's file. */
  hasContent(name: string, path: string, signal: AbortSignal): Promise<boolean>
  /** Uploads a file. Never overwrites anything. */
  upload(path: string, name: string, control: TransferControl): Promise<'uploaded' | 'nameTaken'>
}

export class DriveFailure extends FailureError {
  override readonly name = 'DriveFailure'
  readonly kind: FailureKind
  readonly reason: Reason

  constructor({ kind, reason }: DriveTrouble) {
    super(failure('cloudDrive', { reason }))
    this.kind = kind
    this.reason = reason
  }
}
