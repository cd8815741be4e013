/** `/home/me`, `C:\Users\me`, `C:/Users/me`, `\\server\share`: the service may run on another system than this app. */
export const isAbsolutePath = (path: string): boolean => /^(?:\/|[A-Za-z]:[\\/]|\\\\[^\\])/.test(path)
