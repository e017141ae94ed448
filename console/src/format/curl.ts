// The same thing from a shell: commands that can be pasted, with everything quoted.

export const quote = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

export function curlForTask(origin: string, configuration: string, extras: object, file = 'photo.jpg'): string {
  const lines = [
    `curl ${quote(`${origin}/api/task/`)}`,
    `  -H "Authorization: Bearer $KEEPSAKE_TOKEN"`,
    `  --form-string ${quote(`configuration_name=${configuration}`)}`,
    ...(Object.keys(extras).length > 0 ? [`  --form-string ${quote(`extras=${JSON.stringify(extras)}`)}`] : []),
    `  -F ${quote(`data=@${file}`)}`,
  ]
  return lines.join(' \\\n')
}

export function curlForConfiguration(origin: string, body: object): string {
  return [
    `curl ${quote(`${origin}/api/configuration/`)}`,
    `  -H "Authorization: Bearer $KEEPSAKE_TOKEN"`,
    `  -H 'Content-Type: application/json'`,
    `  -d ${quote(JSON.stringify(body, null, 2))}`,
  ].join(' \\\n')
}
