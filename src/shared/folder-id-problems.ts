/** The English messages of the built-in service about folder IDs. The window’s texts include them, but not the code for folder IDs. */
export const FOLDER_ID_PROBLEMS = {
  idEmpty: 'The folder ID is empty',
  idTooLong: 'The folder ID is too long',
  idUnusual: 'The folder ID contains an invalid character',
  idIsLink: 'This is a link, not a folder ID',
  idLeadsOut: 'A folder ID can’t contain . or .. as a path segment',
  idNotOfDrive: 'This isn’t a Google Drive folder ID. Use the last part of the folder’s address',
}

export type FolderIdProblem = keyof typeof FOLDER_ID_PROBLEMS
