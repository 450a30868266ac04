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

way-before = Vor „{ $target }“ kommt „{ $unit }“.
way-next = Auf dem Weg zu „{ $target }“ kommt als Nächstes „{ $next }“.
way-open = Du hast nach „{ $target }“ gefragt: Das kann als Nächstes kommen.
way-steps =
    { $steps ->
        [1] Noch ein Schritt.
        [2] Noch zwei Schritte.
        [3] Noch drei Schritte.
        [4] Noch vier Schritte.
        [5] Noch fünf Schritte.
        [6] Noch sechs Schritte.
        [7] Noch sieben Schritte.
        [8] Noch acht Schritte.
        [9] Noch neun Schritte.
        [10] Noch zehn Schritte.
        [11] Noch elf Schritte.
        [12] Noch zwölf Schritte.
       *[other] Noch { $steps } Schritte.
    }

choose-unit = Worum geht es: { $units }?
choose-this-unit = Geht es um { $units }?

chat-unsafe = Das kann ich hier nicht sagen. Bitte frag mich noch einmal, oder frag deine Lehrkraft.

chat-hint-about = Du arbeitest an { $formula }.
chat-hint-equation = Was kannst du zuerst auf beiden Seiten tun, damit die Unbekannte eher alleine steht?
chat-hint-system = Wie wirst du eine Unbekannte los: durch Addieren der Gleichungen oder durch Einsetzen?
chat-hint-inequality = Was kannst du zuerst auf beiden Seiten tun? Achte darauf, wann sich das Zeichen umdrehen muss.
chat-hint-calculation = Welche Rechenart kommt hier zuerst, und warum?
chat-hint-fraction = Was muss für die Nenner gelten, bevor du rechnest? Welche Rechenart kommt zuerst?
chat-hint-percent = Was bedeutet der Prozentsatz als Bruch? Was ist hier das Ganze?
chat-hint-simplify = Welche Glieder sind gleichartig, sodass du sie zusammenfassen kannst?
chat-hint-expand = Womit muss jedes Glied in der Klammer multipliziert werden?
chat-hint-factor = Was haben alle Glieder gemeinsam? Erkennst du ein Muster?
chat-hint-program = Gehen wir in kleinen Schritten vor: Was soll dein Programm zuerst tun, und wie würdest du das in eigenen Worten sagen?
chat-hint-general = Gehen wir Schritt für Schritt vor: Was weißt du schon, was suchst du, und was hast du versucht?

chat-reference = Ich kann gerade nicht mit eigenen Worten antworten. Das steht in deiner Lektion:

clarification-skip-words = überspringen | weiter ohne | keine fragen mehr | skip
clarification-cancel-words = abbrechen | stopp | stop | egal | vergiss es
clarification-handoff = Ich habe auch deiner Lehrerin oder deinem Lehrer Bescheid gegeben.

# Statt einer Antwort, der etwas fehlt, das niemand rechtzeitig geliefert hat. { $titles }: was, mit Kommas.
context-apology = Tut mir leid, ohne das kann ich das nicht gut beantworten: { $titles }. Schick deine Nachricht noch einmal, wenn du es hast.

# Nach einer Antwort, die ohne etwas auskommt, das sie haben sollte. { $titles }: was, mit Kommas.
context-without = Ich habe ohne das geantwortet: { $titles }.

new-course-session = Lektion { $n }
new-course-summary = Lektion { $n } von { $sessions } aus „{ $title }“: { $minutes } Minuten, für { $from }- bis { $to }-Jährige.
new-course-goal = Ziel
new-course-goal-text = Sag in einem Satz, den { $from }- bis { $to }-Jährige verstehen, was man nach diesen { $minutes } Minuten kann.
new-course-explanation = Erklärung
new-course-explanation-text = Erkläre eine Idee. Beginne mit etwas, das die Lernenden kennen, und plane von den { $minutes } Minuten so viel dafür ein, wie sie braucht.
new-course-example = Beispiel
new-course-example-text = Rechne oder mach ein Beispiel vor, einen Schritt pro Zeile, und sag, warum jeder Schritt kommt.
new-course-practice = Üben
new-course-practice-text = Beschreibe, was die Lernenden selbst tun und wie sie es selbst prüfen können.
new-course-reference-text = Was der Helfer in dieser Lektion zur Hand haben soll: Regeln, Begriffe, Namen von Werkzeugen. Keine Lösungen von Aufgaben.
new-course-units-comment = Ein Thema ohne Prüfungsfrage hat `assessable: false` und gilt als erfüllt. Entferne die Zeile, sobald es eine Bronze-Frage hat.
new-course-topics-comment = Worüber ein Chat zu dieser Lektion gehen darf. `turnwise course topics` schlägt aus dem Text weitere Themen vor.

# Die ganze Antwort der Hausaufgabenhilfe auf eine Nachricht, die sie zur Lektion zurückführt, wenn der Autor der Lektion keine
# geschrieben hat. { $topics }: bis zu drei Themen, mit Kommas; { $lesson }: der Titel der Lektion.
helper-redirect-scope = Das gehört nicht zu dieser Lektion. Hier kann ich dir helfen bei: { $topics }. Stell deine Frage bitte so, dass ich sehe, was sie damit zu tun hat.
helper-redirect-topic = Das ist keines der Themen dieses Chats. Hier kann ich dir helfen bei: { $topics }. Was möchtest du darüber wissen?
helper-redirect-lesson = Das gehört nicht zu dieser Lektion. Hier kann ich dir helfen bei: { $lesson }. Was möchtest du darüber wissen?
helper-redirect-unnamed = Das gehört nicht zu dieser Lektion. Was möchtest du zur Lektion wissen?
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

# Hilfe bei einer Anleitung ohne Modell. Die erste: Alle Schritte sind erledigt. Die letzte: Der Schritt hat keine eigenen Worte.
# Die anderen sind Sätze vor dem, worum es im Schritt geht.
procedure-finished = Alle Schritte dieser Anleitung sind erledigt.
procedure-unobserved = Ich sehe noch nicht, was du getan hast.
procedure-stepped-back = Etwas, das schon erledigt war, ist nicht mehr so.
procedure-pending = Vor diesem Schritt kommt noch etwas anderes.
procedure-checklist = Sieh dir den aktuellen Schritt der Liste noch einmal an.

# Eine Bedingung, die nicht gilt, und was von ihren Größen bekannt ist. { $condition }: ein Ausdruck; { $readings }: einige der
# Texte danach, mit Kommas; { $value }: eine Zahl mit Einheit, true, false oder ein Wort des Kurses.
procedure-unmet = `{ $condition }` gilt nicht: { $readings }
procedure-unmet-alone = `{ $condition }` gilt nicht
procedure-var-known = { $name } ist { $value }
procedure-var-missing = { $name } ist nicht bekannt
procedure-var-unusable = { $name } hat einen Wert, der nicht zu gebrauchen ist
