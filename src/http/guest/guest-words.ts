// The words on the pages of guests, in each language that there is.
import { type Language, languages, plainGuestPage } from '#kit/guest/guest-page.ts'

export interface Words {
  /** The direction of the script. */
  dir: 'ltr' | 'rtl'
  title: string
  making: string
  soon: string
  /** `{n}` is a number of seconds. */
  left: string
  failed: string
  save: string
  share: string
  copy: string
  copied: string
  notFound: string
  notFoundText: string
  /** Below `notFound`, on a page of which something was to be made. */
  emptyText: string
  gone: string
  goneText: string
  /** For what the link does not allow. */
  forbidden: string
  forbiddenText: string
  /** For whatever else went wrong. */
  trouble: string
  troubleText: string
  /** The button that asks first. */
  erase: string
  eraseAsk: string
  eraseText: string
  eraseYes: string
  eraseNo: string
  erased: string
  erasedText: string
  /** While it is not all done. */
  erasing: string
  receipt: string
  visit: string
  visitAsk: string
  visitShow: string
  visitWrong: string
  /** `{n}` is a number of minutes. */
  visitWait: string
  visitNone: string
  visitOther: string
}

export const words: Record<Language, Words> = {
  en: {
    dir: 'ltr',
    title: 'Your keepsake',
    making: 'Your keepsake is being made …',
    soon: 'It appears here by itself.',
    left: 'About {n} s left',
    failed: 'This one did not work out. Please ask the team at the booth.',
    save: 'Save',
    share: 'Share',
    copy: 'Copy link',
    copied: 'Copied',
    notFound: 'There is nothing here',
    notFoundText: 'Please scan the code once more, or ask the team at the booth.',
    emptyText: 'Nothing was made for this page, or it was deleted. The team at the booth can tell you more.',
    gone: 'This keepsake is gone',
    goneText: 'Its time is over, or it was taken back.',
    forbidden: 'This link cannot do that',
    forbiddenText: 'Please open your own link, the one that you were given first, or ask the team of the event.',
    trouble: 'That did not work',
    troubleText: 'Please try again in a moment, or ask the team at the booth.',
    erase: 'Take back',
    eraseAsk: 'Take everything back?',
    eraseText:
      'All pictures and videos of this page are deleted, here and wherever that is still possible. This cannot be undone.',
    eraseYes: 'Yes, delete everything',
    eraseNo: 'No, keep it',
    erased: 'Everything was taken back',
    erasedText:
      'Your pictures and videos are deleted. The receipt tells what could not be taken back, such as mails and prints.',
    erasing: 'Your pictures and videos are being deleted. The receipt tells how far that is.',
    receipt: 'Receipt',
    visit: 'All of my visit',
    visitAsk: 'Your e-mail address, or the code on your wristband',
    visitShow: 'Show',
    visitWrong: 'This page is not known by that. Please check what you typed.',
    visitWait: 'Too many tries. Try again in {n} min.',
    visitNone: 'That is all so far. More appears here by itself.',
    visitOther: 'Another keepsake of your visit',
  },
  de: {
    dir: 'ltr',
    title: 'Dein Andenken',
    making: 'Dein Andenken entsteht gerade …',
    soon: 'Es erscheint hier von selbst.',
    left: 'Noch etwa {n} s',
    failed: 'Das hat leider nicht geklappt. Bitte frag das Team vor Ort.',
    save: 'Speichern',
    share: 'Teilen',
    copy: 'Link kopieren',
    copied: 'Kopiert',
    notFound: 'Hier ist nichts',
    notFoundText: 'Bitte scanne den Code noch einmal oder frag das Team vor Ort.',
    emptyText: 'Für diese Seite ist nichts entstanden, oder es wurde gelöscht. Das Team vor Ort weiß mehr.',
    gone: 'Dieses Andenken ist nicht mehr da',
    goneText: 'Seine Zeit ist um, oder es wurde zurückgenommen.',
    forbidden: 'Das geht mit diesem Link nicht',
    forbiddenText: 'Bitte öffne deinen eigenen Link, den du zuerst bekommen hast, oder frag das Team vor Ort.',
    trouble: 'Das hat nicht geklappt',
    troubleText: 'Bitte versuch es gleich noch einmal oder frag das Team vor Ort.',
    erase: 'Zurücknehmen',
    eraseAsk: 'Alles zurücknehmen?',
    eraseText:
      'Alle Bilder und Videos dieser Seite werden gelöscht, hier und überall, wo das noch möglich ist. Das lässt sich nicht rückgängig machen.',
    eraseYes: 'Ja, alles löschen',
    eraseNo: 'Nein, behalten',
    erased: 'Alles wurde zurückgenommen',
    erasedText:
      'Deine Bilder und Videos sind gelöscht. Der Beleg sagt, was sich nicht zurücknehmen ließ, zum Beispiel E-Mails und Ausdrucke.',
    erasing: 'Deine Bilder und Videos werden gelöscht. Der Beleg sagt, wie weit das ist.',
    receipt: 'Beleg',
    visit: 'Mein ganzer Besuch',
    visitAsk: 'Deine E-Mail-Adresse oder der Code auf deinem Armband',
    visitShow: 'Anzeigen',
    visitWrong: 'Das gehört nicht zu dieser Seite. Bitte prüfe deine Eingabe.',
    visitWait: 'Zu viele Versuche. Versuch es in {n} min noch einmal.',
    visitNone: 'Das ist bisher alles. Mehr erscheint hier von selbst.',
    visitOther: 'Ein weiteres Andenken deines Besuchs',
  },
  fr: {
    dir: 'ltr',
    title: 'Votre souvenir',
    making: 'Votre souvenir est en préparation …',
    soon: 'Il apparaîtra ici tout seul.',
    left: 'Encore {n} s environ',
    failed: 'Cela n’a pas fonctionné. Demandez à l’équipe sur place.',
    save: 'Enregistrer',
    share: 'Partager',
    copy: 'Copier le lien',
    copied: 'Copié',
    notFound: 'Il n’y a rien ici',
    notFoundText: 'Scannez le code encore une fois ou demandez à l’équipe sur place.',
    emptyText: 'Rien n’a été créé pour cette page, ou cela a été supprimé. L’équipe sur place peut vous en dire plus.',
    gone: 'Ce souvenir n’existe plus',
    goneText: 'Son temps est écoulé, ou il a été retiré.',
    forbidden: 'Ce lien ne le permet pas',
    forbiddenText: 'Ouvrez votre propre lien, celui que vous avez reçu en premier, ou demandez à l’équipe sur place.',
    trouble: 'Cela n’a pas fonctionné',
    troubleText: 'Réessayez dans un instant ou demandez à l’équipe sur place.',
    erase: 'Tout retirer',
    eraseAsk: 'Tout retirer ?',
    eraseText:
      'Toutes les photos et vidéos de cette page seront supprimées, ici et partout où c’est encore possible. Cette action est définitive.',
    eraseYes: 'Oui, tout supprimer',
    eraseNo: 'Non, garder',
    erased: 'Tout a été retiré',
    erasedText:
      'Vos photos et vidéos sont supprimées. Le reçu indique ce qui n’a pas pu être retiré, comme les e-mails et les impressions.',
    erasing: 'Vos photos et vidéos sont en cours de suppression. Le reçu indique l’avancement.',
    receipt: 'Reçu',
    visit: 'Toute ma visite',
    visitAsk: 'Votre adresse e-mail ou le code de votre bracelet',
    visitShow: 'Afficher',
    visitWrong: 'Cela ne correspond pas à cette page. Vérifiez votre saisie.',
    visitWait: 'Trop d’essais. Réessayez dans {n} min.',
    visitNone: 'C’est tout pour l’instant. La suite apparaîtra ici toute seule.',
    visitOther: 'Un autre souvenir de votre visite',
  },
  es: {
    dir: 'ltr',
    title: 'Tu recuerdo',
    making: 'Tu recuerdo se está preparando …',
    soon: 'Aparecerá aquí por sí solo.',
    left: 'Quedan unos {n} s',
    failed: 'No ha salido bien. Pregunta al equipo.',
    save: 'Guardar',
    share: 'Compartir',
    copy: 'Copiar enlace',
    copied: 'Copiado',
    notFound: 'Aquí no hay nada',
    notFoundText: 'Escanea el código otra vez o pregunta al equipo.',
    emptyText: 'No se creó nada para esta página, o se borró. El equipo puede decirte más.',
    gone: 'Este recuerdo ya no está',
    goneText: 'Su tiempo ha terminado o fue retirado.',
    forbidden: 'Este enlace no lo permite',
    forbiddenText: 'Abre tu propio enlace, el que recibiste primero, o pregunta al equipo.',
    trouble: 'No ha funcionado',
    troubleText: 'Inténtalo de nuevo en un momento o pregunta al equipo.',
    erase: 'Retirar todo',
    eraseAsk: '¿Retirar todo?',
    eraseText:
      'Todas las fotos y vídeos de esta página se borrarán, aquí y donde todavía sea posible. No se puede deshacer.',
    eraseYes: 'Sí, borrar todo',
    eraseNo: 'No, conservar',
    erased: 'Todo se ha retirado',
    erasedText:
      'Tus fotos y vídeos se han borrado. El recibo dice lo que no se pudo retirar, como correos e impresiones.',
    erasing: 'Tus fotos y vídeos se están borrando. El recibo dice hasta dónde.',
    receipt: 'Recibo',
    visit: 'Toda mi visita',
    visitAsk: 'Tu correo electrónico o el código de tu pulsera',
    visitShow: 'Mostrar',
    visitWrong: 'Eso no corresponde a esta página. Comprueba lo que has escrito.',
    visitWait: 'Demasiados intentos. Prueba otra vez en {n} min.',
    visitNone: 'Eso es todo por ahora. Lo demás aparecerá aquí por sí solo.',
    visitOther: 'Otro recuerdo de tu visita',
  },
  ar: {
    dir: 'rtl',
    title: 'تذكارك',
    making: 'جارٍ إعداد تذكارك …',
    soon: 'سيظهر هنا تلقائيًا.',
    left: 'بقي حوالي {n} ث',
    failed: 'لم ينجح هذا. يرجى سؤال الفريق.',
    save: 'حفظ',
    share: 'مشاركة',
    copy: 'نسخ الرابط',
    copied: 'تم النسخ',
    notFound: 'لا يوجد شيء هنا',
    notFoundText: 'يرجى مسح الرمز مرة أخرى أو سؤال الفريق.',
    emptyText: 'لم يُنشأ شيء لهذه الصفحة أو تم حذفه. يمكن للفريق إخبارك بالمزيد.',
    gone: 'هذا التذكار لم يعد موجودًا',
    goneText: 'انتهى وقته أو تم سحبه.',
    forbidden: 'هذا الرابط لا يسمح بذلك',
    forbiddenText: 'يرجى فتح رابطك الخاص الذي حصلت عليه أولًا أو سؤال الفريق.',
    trouble: 'لم ينجح ذلك',
    troubleText: 'يرجى المحاولة مرة أخرى بعد لحظات أو سؤال الفريق.',
    erase: 'سحب الكل',
    eraseAsk: 'هل تريد سحب كل شيء؟',
    eraseText: 'ستُحذف جميع صور ومقاطع هذه الصفحة، هنا وحيثما كان ذلك ممكنًا. لا يمكن التراجع عن ذلك.',
    eraseYes: 'نعم، احذف الكل',
    eraseNo: 'لا، احتفظ به',
    erased: 'تم سحب كل شيء',
    erasedText: 'حُذفت صورك ومقاطعك. يوضح الإيصال ما تعذّر سحبه، مثل رسائل البريد والمطبوعات.',
    erasing: 'يجري حذف صورك ومقاطعك. يوضح الإيصال مدى التقدم.',
    receipt: 'الإيصال',
    visit: 'كل زيارتي',
    visitAsk: 'بريدك الإلكتروني أو الرمز على سوارك',
    visitShow: 'عرض',
    visitWrong: 'هذا لا يخص هذه الصفحة. يرجى التحقق مما كتبته.',
    visitWait: 'محاولات كثيرة. حاول مرة أخرى بعد {n} دقيقة.',
    visitNone: 'هذا كل شيء حتى الآن. سيظهر المزيد هنا تلقائيًا.',
    visitOther: 'تذكار آخر من زيارتك',
  },
}

/** More are not looked at. */
const MOST_NAMED = 32

/** The language that a browser likes best of those that there are; English where it likes none of them. */
export function languageFor(accepted: string | undefined): Language {
  const liked = (accepted ?? '').split(',', MOST_NAMED).map(each => {
    const [name = '', weight = ''] = each.split(';', 2).map(part => part.trim().toLowerCase())
    return { name: name.split('-', 1)[0], weight: weight.startsWith('q=') ? Number(weight.slice(2)) || 0 : 1 }
  })
  const best = liked.filter(({ weight }) => weight > 0).sort((one, other) => other.weight - one.weight)
  for (const { name } of best) {
    const language = languages.find(each => each === name)
    if (language) return language
  }
  return plainGuestPage.language
}
