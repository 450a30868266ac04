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

# Teaching
teaching-doubt-1 = Schauen wir uns „{ $unit }“ gemeinsam an. Jemand sagt: „{ $idea }“ Würdest du zustimmen, und wie könntest du es prüfen?
teaching-doubt-2 = Viele, die mit „{ $unit }“ anfangen, denken: „{ $idea }“ Findest du ein Beispiel, das dagegen spricht?
teaching-doubt-3 = „{ $idea }“ Was würdest du jemandem antworten, der das über „{ $unit }“ sagt?
teaching-open-unit = Was weißt du schon über „{ $unit }“, und wo wird es unklar?
teaching-tried = Was hast du bisher versucht, und bei welchem Schritt bist du stehen geblieben?
teaching-open = Welchen Teil davon könntest du jemandem erklären, und welchen noch nicht?
teaching-check-1 = Das sieht nach einer Antwort aus. Drück auf die Taste darunter, dann kann ich dir sagen, ob sie richtig ist.
teaching-check-2 = Ist das deine Antwort? Dann lass sie mit der Taste darunter prüfen.
teaching-mistake-then = Wo siehst du das in deiner letzten Antwort?
teaching-idea = { $idea } (Aus: { $source }) Wie würdest du das in eigenen Worten sagen?
teaching-idea-card = Hier ist die Idee hinter „{ $unit }“. Mehr findest du in deiner Lektion: { $source }.
teaching-passage = In deiner Lektion steht: { $idea } (Aus: { $source }) Welcher Teil davon hilft dir hier?
teaching-example = Hier ist ein gelöstes Beispiel. Lies es Zeile für Zeile.
teaching-example-then = Welche Zeile ist dir noch nicht klar?
teaching-sibling = Hier ist eine Aufgabe wie deine, mit anderen Zahlen.
teaching-sibling-then = Welchen dieser Schritte machst du bei deiner als Nächstes?
teaching-hint-then-1 = Was fällt dir auf?
teaching-hint-then-2 = Wie hilft dir das hier?
teaching-hint-then-3 = Was bekommst du?
teaching-drill-1 = Hier ist eine kurze Aufgabe zu „{ $unit }“. Nimm dir Zeit.
teaching-drill-2 = Jetzt eine für dich. Schreib jeden Schritt auf.
teaching-drill-3 = Versuch diese hier. Fang mit dem Schritt an, bei dem du dir sicher bist.
teaching-no-drill-1 = Schreib ein kleines eigenes Beispiel zu „{ $unit }“ auf, und löse es.
teaching-no-drill-2 = Denk dir eine Aufgabe aus, die du schwer findest, und versuch sie auf Papier zu lösen.
teaching-exam-1 = Hier ist eine Frage, mit der du prüfen kannst, was du über „{ $unit }“ weißt.
teaching-exam-2 = Mit dieser Frage kannst du zeigen, was du gelernt hast.
teaching-wrong-again = Das ist noch nicht richtig. Vergleich jede deiner Zeilen mit der davor: Welche folgt nicht daraus?
teaching-point-term = Was steht auf der Seite der Unbekannten neben ihr, und was steht auf der anderen Seite?
teaching-point-factor = Was wird mit der Unbekannten gemacht, und welche Rechenart macht es rückgängig?
teaching-point-brackets = Welche Terme stehen in Klammern, und was steht vor den Klammern?
teaching-point-like = Welche Terme sind gleichartig?
teaching-point-root = Die Unbekannte steht hier im Quadrat. Welche Rechenart macht das Quadrieren rückgängig?
teaching-point-product = Auf einer Seite steht ein Produkt. Wann verschwindet ein Produkt?
teaching-point-common = Was haben alle Terme gemeinsam?
teaching-point-pair = Schau auf die Zahl ohne Buchstaben und auf die Zahl vor dem Buchstaben. Wie könnten beide beim Ausmultiplizieren von Klammern entstehen?
teaching-point-order = Welcher Teil muss vor allen anderen ausgerechnet werden?
teaching-point-denominator = Schau auf die Nenner. Sind die Teile gleich groß?
teaching-rule-term = Was du auf einer Seite machst, musst du auch auf der anderen machen. Subtrahieren macht Addieren rückgängig, und Addieren macht Subtrahieren rückgängig.
teaching-rule-factor = Was du auf einer Seite machst, musst du auch auf der anderen machen. Dividieren macht Multiplizieren rückgängig, und Multiplizieren macht Dividieren rückgängig.
teaching-rule-turn = Was du auf einer Seite machst, musst du auch auf der anderen machen. Wenn du eine Ungleichung durch eine negative Zahl teilst, dreht sich ihr Zeichen um.
teaching-rule-brackets = Jeder Term in der Klammer wird mit dem malgenommen, was davor steht, samt seinem Vorzeichen.
teaching-rule-like = Nur Terme mit denselben Buchstaben und denselben Potenzen lassen sich zusammenfassen: Du addierst die Zahlen davor.
teaching-rule-root = Ein Quadrat verrät das Vorzeichen nicht: Eine Zahl und ihre Gegenzahl haben dasselbe Quadrat.
teaching-rule-product = Ein Produkt verschwindet genau dann, wenn mindestens ein Faktor verschwindet.
teaching-rule-common = Was alle Terme gemeinsam haben, kann man vor eine Klammer schreiben, und in der Klammer steht, was von jedem übrig bleibt.
teaching-rule-pair = Wenn man solche Klammern ausmultipliziert, steht das Produkt ihrer Zahlen am Ende und ihre Summe vor dem Buchstaben.
teaching-rule-order = Zuerst kommen Klammern und was über und unter einem Bruchstrich steht, dann Potenzen, dann Produkte und Quotienten, dann Summen und Differenzen.
teaching-rule-denominator = Brüche kann man addieren und subtrahieren, wenn sie denselben Nenner haben. Dazu erweiterst du: Zähler und Nenner werden mit derselben Zahl malgenommen.
teaching-step-add = Addiere ${ $term }$ auf beiden Seiten.
teaching-step-subtract = Subtrahiere ${ $term }$ auf beiden Seiten.
teaching-step-multiply = Multipliziere beide Seiten mit ${ $term }$.
teaching-step-divide = Teile beide Seiten durch ${ $term }$.
teaching-step-turn = Teile beide Seiten durch ${ $term }$, und dreh das Zeichen um.
teaching-step-multiply-out = Multipliziere die Klammern aus, und schreib den Rest ab, wie er ist.
teaching-step-put-together = Fass die gleichartigen Terme zusammen, bevor du irgendetwas anderes machst.
teaching-step-root = Zieh auf beiden Seiten die Wurzel, und denk an beide Vorzeichen.
teaching-step-product-zero = Nimm die Faktoren auseinander: Lass jeden von ihnen verschwinden, und löse nach der Unbekannten auf.
teaching-step-take-out = Klammere aus, was die Terme gemeinsam haben, und schreib in die Klammer, was von jedem übrig bleibt.
teaching-step-pair = Such die Zahlenpaare, deren Produkt die Zahl ohne Buchstaben ist, und darunter das Paar mit der richtigen Summe.
teaching-step-brackets = Rechne aus, was in der Klammer steht, und schreib den Rest ab, wie er ist.
teaching-step-powers = Schreib die Potenz als Produkt, rechne es aus, und schreib den Rest ab, wie er ist.
teaching-step-products = Rechne das Produkt oder den Quotienten aus, und schreib den Rest ab, wie er ist.
teaching-step-denominator = Finde eine Zahl, die durch alle Nenner teilbar ist, und schreib die Brüche damit.
teaching-stuck-words = weiß nicht | weiss nicht | weiß es nicht | weiss es nicht | keine ahnung | kein plan | ich kann das nicht | ich gebe auf | geb auf | zu schwer | zu schwierig | verwirrt | check ich nicht | raff ich nicht
