/** The cloud drive that jobs may read from and deliver to: what the rest of the service knows of it. */
import type { DriveStatus } from '../../shared/api/resources.ts'
import type { DriveEntry, DriveTrouble, FailureKind } from '../../node/rclone/index.ts'

export type DriveReadiness =
  | {
      readonly status: DriveStatus
      readonly ready: true
      /** The folder of an ID; whether it is there shows when it is listed. */
      open(id: string): FolderOpening
    }
  | {
      readonly status: DriveStatus
      readonly ready: false
      /** Why no job can use the drive, in words for the person who asked for it. */
      readonly notReady: string
    }

export type FolderOpening =
  | { readonly ok: true; readonly folder: DriveFolder }
  | { readonly ok: false; readonly problem: string }

export type Drive = {
  /** Answers from memory; only the very first question waits for the drive, and only for a moment. */
  readiness(): Promise<DriveReadiness>
  /** Stops what is being asked. Folders that were opened are not concerned. */
  close(): Promise<void>
}

export type TransferControl = {
  readonly signal: AbortSignal
  /** @param share 0..1 of this file */
  onProgress?(share: number): void
}

export type TogetherControl = {
  readonly signal: AbortSignal
  /** @param path of the whole file */
  readonly onArrived: (name: string, path: string) => void
}

/** A folder in the drive that was chosen when it was opened. All of it throws DriveFailure, or `signal.reason`. */
export type DriveFolder = {
  readonly id: string
  /** What lies directly in it, folders included. */
  list(signal: AbortSignal): Promise<readonly DriveEntry[]>
  /**
   * @param into an empty folder on this computer
   * @returns the path of the file in it, whose name is ours: whatever the drive calls it, it stays in the folder
   */
  fetch(name: string, into: string, control: TransferControl): Promise<string>
  /**
   * Brings several files at once, in little more time than one takes. Nothing is said of those that do not come: fetching one
   * alone tells why.
   *
   * @param names such as may be the names of files here
   * @param into an empty folder on this computer
   */
  fetchTogether(names: readonly string[], into: string, control: TogetherControl): Promise<void>
  /** Never replaces anything. */
  upload(path: string, name: string, control: TransferControl): Promise<'uploaded' | 'nameTaken'>
}

/** Something that the drive could not or would not do, for a reason that a person can read. */
export class DriveFailure extends Error {
  override readonly name = 'DriveFailure'
  readonly kind: FailureKind

  constructor({ kind, message }: DriveTrouble) {
    super(message)
    this.kind = kind
  }
}
