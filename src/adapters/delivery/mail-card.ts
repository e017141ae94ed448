// The HTML of a mail for whoever writes none: a card with the picture, the text and a button, made for mail clients.
import { escaped } from '#kit/text.ts'

interface Card {
  title: string
  /** Blank lines part paragraphs. */
  text: string
  /** Where the button leads; without one there is none. */
  url: string | undefined
  button: string
  /** The attached picture, by its content id. */
  picture: string | undefined
  color: string
}

const font = "font-family:-apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif"

/** Tables and inline styles, since mail clients know little else. Those that know `prefers-color-scheme` get a dark card. */
export function mailCard({ title, text, url, button, picture, color }: Card): string {
  const paragraphs = text
    .split(/\n{2,}/)
    .filter(part => part.trim() !== '')
    .map(part => `<p style="margin:0 0 16px">${escaped(part.trim()).replaceAll('\n', '<br>')}</p>`)
  const rows = [
    picture === undefined
      ? ''
      : `<tr><td><img src="cid:${picture}" alt="${escaped(title)}" width="560" style="display:block;width:100%;max-width:560px;height:auto;border:0"></td></tr>`,
    `<tr><td class="words" style="padding:28px 32px 12px;${font};font-size:16px;line-height:1.5;color:#22262b"><h1 style="margin:0 0 16px;font-size:24px;line-height:1.25;font-weight:700">${escaped(title)}</h1>${paragraphs.join('')}</td></tr>`,
    url === undefined ? '' : buttonRow(url, button, color),
    '<tr><td style="height:20px;line-height:20px;font-size:0">&nbsp;</td></tr>',
  ]
  return `<!doctype html><html><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><meta name="color-scheme" content="light dark"><meta name="supported-color-schemes" content="light dark"><title>${escaped(title)}</title><style>@media (prefers-color-scheme:dark){.page{background:#14171a!important}.card{background:#22262b!important}.words{color:#eceff1!important}}</style></head><body class="page" style="margin:0;padding:0;background:#f1f3f5"><table role="presentation" class="page" width="100%" cellpadding="0" cellspacing="0" style="background:#f1f3f5"><tr><td align="center" style="padding:24px 12px"><table role="presentation" class="card" width="560" cellpadding="0" cellspacing="0" style="width:100%;max-width:560px;background:#ffffff;border-radius:12px;overflow:hidden">${rows.join('')}</table></td></tr></table></body></html>`
}

const buttonRow = (url: string, button: string, color: string): string =>
  `<tr><td align="center" style="padding:8px 32px 16px"><table role="presentation" cellpadding="0" cellspacing="0"><tr><td align="center" bgcolor="${color}" style="border-radius:8px;background:${color}"><a href="${escaped(url)}" style="display:inline-block;padding:14px 28px;${font};font-size:16px;font-weight:600;color:${inkOn(color)};text-decoration:none">${escaped(button)}</a></td></tr></table></td></tr>`

/** Black or white, whichever is read better on the colour. */
function inkOn(color: string): string {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map(at => Number.parseInt(color.slice(at, at + 2), 16))
  return red * 0.299 + green * 0.587 + blue * 0.114 > 150 ? '#000000' : '#ffffff'
}
