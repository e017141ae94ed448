// Addresses of pages about things with free names: the name goes into the query, where any character is fine.
export const configurationPage = (name: string): string => `/configurations/open?name=${encodeURIComponent(name)}`
export const experiencePage = (id: string): string => `/experiences/open?id=${encodeURIComponent(id)}`
export const taskPage = (id: string): string => `/tasks/${id}`
