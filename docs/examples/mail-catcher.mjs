// A mail server for trying things out: it takes every message and puts it into the folder `mail`. Plain Node, nothing to install.
import { mkdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'

const port = Number(process.env.MAIL_PORT ?? 2525)
let count = 0
mkdirSync('mail', { recursive: true })

const server = createServer(socket => {
  let text = ''
  let isMessage = false
  const say = line => socket.write(`${line}\r\n`)
  say('220 mail-catcher')
  socket.setEncoding('latin1').on('error', () => {})
  socket.on('data', data => {
    text += data
    for (;;) {
      if (isMessage) {
        const end = text.indexOf('\r\n.\r\n')
        if (end < 0) return
        count += 1
        writeFileSync(`mail/${count}.eml`, text.slice(0, end).replaceAll('\r\n..', '\r\n.'), 'latin1')
        text = text.slice(end + 5)
        isMessage = false
        console.log(`mail/${count}.eml`)
        say('250 taken')
      } else {
        const end = text.indexOf('\r\n')
        if (end < 0) return
        const command = text.slice(0, end).toUpperCase()
        text = text.slice(end + 2)
        isMessage = command === 'DATA'
        if (command.startsWith('QUIT')) return socket.end('221 bye\r\n')
        if (isMessage) say('354 go on')
        else if (command.startsWith('EHLO')) say('250-mail-catcher\r\n250 8BITMIME')
        else say('250 fine')
      }
    }
  })
})
server.listen(port, '127.0.0.1', () => console.log(`Mail for 127.0.0.1:${port} goes into ${process.cwd()}/mail`))
