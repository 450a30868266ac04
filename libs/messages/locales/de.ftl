# Texte, die Lernende und Lehrkräfte lesen, auf Deutsch.

policy-unavailable = Ich kann gerade nicht in deinen Kurs schauen. Bitte versuche es gleich noch einmal; nichts, was du gemacht hast, ist verloren.

tier-bronze = Bronze
tier-silver = Silber
tier-gold = Gold

exam-locked-until = Die { $tier }-Frage zu „{ $unit }“ ist bis { $until } gesperrt.
exam-locked = Die { $tier }-Frage zu „{ $unit }“ ist zurzeit gesperrt.
meanwhile-practise = Bis dahin kannst du hier üben oder an einem anderen Thema arbeiten.
meanwhile-next = Bis dahin kannst du hier üben oder mit „{ $next }“ weitermachen.

exam-passed = Bestanden: Das ist richtig.
exam-passed-badge = Bestanden: Du hast jetzt { $tier } in „{ $unit }“.

unit-gold = Du hast Gold in „{ $unit }“, die höchste Auszeichnung. Als Nächstes kommt „{ $next }“.
course-gold = Du hast Gold in allen { $units } Themen: Du bist am Ende dieses Kurses angekommen. Du kannst weiter jedes Thema üben oder zu allem im Kurs fragen.

# Die ganze Antwort der Hausaufgabenhilfe auf eine Nachricht, die sie zur Lektion zurückführt, wenn der Autor der Lektion keine
# geschrieben hat. { $topics }: bis zu drei Themen, mit Kommas; { $lesson }: der Titel der Lektion.
helper-redirect-scope = Das gehört nicht zu dieser Lektion. Hier kann ich dir helfen bei: { $topics }. Stell deine Frage bitte so, dass ich sehe, was sie damit zu tun hat.
helper-redirect-topic = Das ist keines der Themen dieses Chats. Hier kann ich dir helfen bei: { $topics }. Was möchtest du darüber wissen?
helper-redirect-lesson = Das gehört nicht zu dieser Lektion. Hier kann ich dir helfen bei: { $lesson }. Was möchtest du darüber wissen?
helper-redirect-text-language = In dieser Lektion arbeiten wir mit Blöcken, nicht mit einer Sprache, die man tippt. Sag mir, was dein Programm tun soll, dann finden wir die Blöcke dafür.

# Die Frage am Ende einer Antwort der Hausaufgabenhilfe, wenn das Modell keine gestellt hat. Jeweils genau ein Fragezeichen.
helper-check-debug = Was passiert deiner Meinung nach, kurz bevor es schiefgeht?
helper-check-concept = Kannst du das in deinen eigenen Worten sagen, mit einem eigenen Beispiel?
helper-check-strategy = Welchen Schritt würdest du zuerst machen, und warum?
helper-check-reflection = Wie könntest du das selbst überprüfen?
helper-check-status = Welchen Teil könntest du jetzt jemand anderem erklären?
helper-check-general = Welchen Teil davon könntest du in deinen eigenen Worten erklären?

# Nachrichten, die eine Schülerin oder ein Schüler als Nächstes senden kann, auf Knöpfen. { $topic }: ein Thema der Lektion.
helper-suggest-debug-find = Wie finde ich heraus, wo es schiefgeht?
helper-suggest-debug-test = Wie kann ich einen Teil nach dem anderen testen?
helper-suggest-concept-example = Kannst du mir ein Beispiel zeigen?
helper-suggest-concept-words = Kannst du es einfacher erklären?
helper-suggest-strategy-first = Was soll ich zuerst tun?
helper-suggest-strategy-given = Was weiß ich schon?
helper-suggest-reflection-check = Wie kann ich meine Antwort überprüfen?
helper-suggest-reflection-other = Gibt es noch einen anderen Weg?
helper-suggest-status-next = Was soll ich als Nächstes tun?
helper-suggest-status-harder = Kannst du mir eine schwerere Aufgabe geben?
helper-suggest-general-start = Womit soll ich anfangen?
helper-suggest-general-example = Kannst du mir ein Beispiel zeigen?
helper-suggest-topic = Kannst du mir dieses Thema erklären: { $topic }?
