/** The built-in service's English messages about folder IDs. Separate from `drive-folder.ts`, whose code the window's texts don't need. */
export const FOLDER_ID_PROBLEMS = {
  idEmpty: 'The folder ID is empty',
  idTooLong: 'The folder ID is too long',
  idUnusual: 'The folder ID contains an invalid character',
  idIsLink: 'This is a link, not a folder ID',
  idLeadsOut: 'A folder ID can’t contain . or .. as a path segment',
  idNotOfDrive: 'This isn’t a Google Drive folder ID. Use the last part of the folder’s address',
}

export type FolderIdProblem = keyof typeof FOLDER_ID_PROBLEMS
