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

way-before = Für „{ $target }“ brauchst du zuerst „{ $unit }“.
way-next = Auf dem Weg zu „{ $target }“ kommt als Nächstes „{ $next }“.
way-open = „{ $target }“ kann als Nächstes kommen.
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

choose-unit = Ich bin nicht sicher, welches Thema du meinst. Worum geht es: { $units }? Wenn es keines davon ist, schreib es mit anderen Worten; vielleicht kommt es in diesem Kurs nicht vor.
choose-unit-after-lesson = War es das? Wenn nicht, worum geht es: { $units }?
choose-this-unit = Geht es um { $units }?

button-take-exam = Prüfungsfrage beantworten
button-check-prerequisite = Zuerst das prüfen
button-next-unit = Weiter zum nächsten Thema
button-choose-unit = Es geht um
button-try-drill = Eine Aufgabe üben
button-ask-hint = Gib mir einen Tipp
button-ask-hint-on-card = Ich komme nicht weiter
button-ask-follow-up = Nachfragen
button-check-answer = Antwort prüfen
button-check-typed = Das als meine Antwort prüfen
button-submit-answer = Abgeben
button-view-memo = Merkblatt ansehen
button-view-video = Video ansehen
button-continue = Weiter
button-try-another = Noch eine Aufgabe
clarification-button-skip = Keine Fragen mehr, antworte jetzt
clarification-button-correct = Meine letzte Antwort verbessern
clarification-button-cancel = Ohne all das antworten

feedback-right = Das ist richtig.
feedback-right-solution = Das ist richtig: Es löst die Aufgabe, und nichts fehlt.
feedback-right-value = Das ist richtig: Das ist der Wert.
feedback-right-simplified = Das ist richtig: Es ist gleich und einfach geschrieben.
feedback-right-expanded = Das ist richtig: Es ist gleich, und alle Klammern sind weg.
feedback-right-factored = Das ist richtig: Es ist gleich und ganz in Faktoren zerlegt.
feedback-right-converted = Das ist richtig: Es ist genauso viel, in der Form, nach der gefragt war.
feedback-right-compared = Das ist richtig: So verhalten sich die beiden zueinander.
feedback-not-set-here = Das kann ich nicht prüfen: Diese Aufgabe wurde dir hier nicht gestellt. Nichts wurde gezählt. Bitte um eine neue.
feedback-wrong = Das ist noch nicht die Antwort. Geh alles noch einmal Schritt für Schritt durch: Wo könnte etwas schiefgegangen sein?
feedback-wrong-incomplete = Was du geschrieben hast, ist eine Lösung, aber noch nicht alles. Gibt es noch andere Lösungen?
feedback-wrong-solution = Das löst die Aufgabe noch nicht. Setz deine Antwort in die Aufgabe ein: Ab wo stimmt es nicht mehr?
feedback-wrong-copied = Das ist die Aufgabe selbst, es fehlt also noch ein Schritt. Was würdest du zuerst tun?
feedback-wrong-not-factored = Das ist gleich wie in der Aufgabe, aber noch nicht ganz in Faktoren zerlegt. Welcher Teil lässt sich noch als Produkt schreiben?
feedback-wrong-not-expanded = Das ist gleich wie in der Aufgabe, aber es sind noch Klammern auszumultiplizieren. Welche?
feedback-wrong-not-simplified = Das ist gleich wie in der Aufgabe, aber es geht noch einfacher. Welche Teile gehören zusammen oder haben einen gemeinsamen Faktor?
feedback-wrong-not-converted = Das ist genauso viel, aber nicht in der Form, nach der gefragt war. Welche Form will die Aufgabe?
feedback-wrong-unit = Die Zahl stimmt, aber die Einheit nicht. Was wird gemessen, und worin?
feedback-wrong-value = Das ist nicht der Wert. Geh die Rechnung noch einmal Schritt für Schritt durch: Welcher kommt zuerst?
feedback-wrong-unequal = Das ist nicht gleich wie in der Aufgabe. Rechne beides aus, mit einer kleinen Zahl für jeden Buchstaben, falls welche da sind: Nach welchem Schritt unterscheiden sie sich?
feedback-wrong-amount = Das ist nicht genauso viel. Was bleibt gleich, wenn sich nur die Form ändert?
feedback-wrong-comparison = So verhalten sich die beiden nicht zueinander. Wo steht jede der beiden Zahlen auf dem Zahlenstrahl?
feedback-unclear = Das konnte ich nicht prüfen, versuch es noch einmal. Nichts davon zählt. Vielleicht hilft es, die Antwort anders zu schreiben.
feedback-unclear-unreadable = Das konnte ich nicht prüfen: Ich kann es nicht als Antwort lesen. Nichts davon zählt. Schreib nur die Antwort, als Zahl, Term oder Gleichung, und versuch es noch einmal.
feedback-unclear-unfinished = So weit, so gut, aber es ist noch nicht fertig. Nichts davon zählt. Rechne bis zum Ende und versuch es noch einmal.
feedback-unclear-not-factored = Das sieht gleich aus wie in der Aufgabe, ist aber vielleicht nicht ganz in Faktoren zerlegt. Nichts davon zählt. Lässt sich noch ein Faktor ausklammern? Schreib es als ein Produkt und versuch es noch einmal.
feedback-unclear-not-expanded = Das sieht gleich aus wie in der Aufgabe, aber es sind noch Klammern auszumultiplizieren. Nichts davon zählt. Multiplizier sie aus und versuch es noch einmal.
feedback-unclear-not-simplified = Das sieht gleich aus wie in der Aufgabe, geht aber vielleicht noch einfacher. Nichts davon zählt. Fass zusammen, was zusammengehört, und versuch es noch einmal.
feedback-unclear-not-converted = Das ist vielleicht die richtige Menge, aber nicht in der Form, nach der gefragt war. Nichts davon zählt. Welche Form will die Aufgabe? Versuch es noch einmal.
feedback-unclear-steps = Ich konnte deinen Schritten nicht folgen: Einer passt nicht. Nichts davon zählt. Prüf sie oder schreib nur die Antwort, und versuch es noch einmal.
feedback-unclear-copied = Das konnte ich nicht prüfen: Es liest sich wie die Aufgabe selbst. Nichts davon zählt. Schreib auf, was du daraus machst, und versuch es noch einmal.

notice-drill-token-invalid = Diese Aufgabe ist nicht mehr als unsere nachweisbar und zählt darum nicht: Lass dir eine neue geben.
notice-drill-already-graded = Diese Aufgabe wurde schon bewertet; es bleibt beim ersten Ergebnis.
notice-exercise-repeated = Genau diese Aufgabe hat schon gezählt und zählt kein zweites Mal: Lass dir eine andere geben.
notice-result-mismatch = Das Ergebnis, das dieses Programm angenommen hat, stimmt nicht; es gilt, was festgehalten ist.

# Was das Personal darüber liest, warum ein Zug so ist, wie er ist: Nach dem Gedankenstrich stehen Hauptsätze, klein begonnen.
explain-because = { $what } – { $reasons }
explain-reasons = { $reasons }, und { $last }
explain-unit = „{ $unit }“
explain-units = { $units } und { $last }
explain-more-units = { $count } weitere
explain-question-allowed = Eine Leitfrage ist erlaubt
explain-question-refused = Keine Leitfrage
explain-question-wanted = einen Tipp
explain-drill-allowed = Eine Übungsaufgabe ist erlaubt
explain-drill-refused = Keine Übungsaufgabe
explain-drill-wanted = eine Übungsaufgabe
explain-concept-allowed = Eine Erklärkarte ist erlaubt
explain-concept-refused = Keine Erklärkarte
explain-concept-wanted = eine Erklärkarte
explain-exam-allowed = Eine Prüfungsfrage ist erlaubt
explain-exam-refused = Keine Prüfungsfrage
explain-exam-wanted = eine Prüfungsfrage
explain-target = Es geht um „{ $unit }“
explain-focus = Gearbeitet wird an „{ $unit }“
explain-next-unit = Weiter geht es mit „{ $unit }“
explain-no-next-unit = Kein anderes Thema wird vorgeschlagen
explain-nudge = „{ $unit }“ sollte zuerst kommen
explain-no-nudge = Nichts muss zuerst kommen
explain-no-evidence-needed = dafür braucht es keinen Nachweis
explain-unit-to-practise = „{ $unit }“ lässt sich üben
explain-stuck = die Übungsaufgaben zu „{ $unit }“ zeigen, dass die Person feststeckt ({ $drills })
explain-not-stuck = die Übungsaufgaben zu „{ $unit }“ zeigen nicht, dass die Person feststeckt ({ $drills })
explain-stuck-by-attempts = { $attempts } bewertet, { $right } in Folge richtig; feststecken heißt: mindestens { $needed } bewertet und keine in Folge richtig
explain-stuck-by-wrong = { $wrong } in Folge falsch; feststecken heißt: mindestens { $needed }
explain-ready = „{ $unit }“ fehlt keine Voraussetzung, { $streak }
explain-questions-open =
    { $count ->
        [1] 1 { $tier }-Frage zu „{ $unit }“ ist offen
       *[other] { $count } { $tier }-Fragen zu „{ $unit }“ sind offen
    }
explain-asked-for = der gedrückte Knopf verlangt danach
explain-not-placed = die Nachricht ließ sich im Kurs nicht einordnen
explain-entry-unit = „{ $unit }“ ist nur der Anfang des Kurses
explain-blocked-by = „{ $unit }“ kommt vor „{ $target }“
explain-focus-blocked-by = „{ $unit }“ selbst braucht zuerst { $units }
explain-streak-short = { $streak }, zu „{ $unit }“
explain-streak-missing =
    { $right ->
        [1] erst 1 Übungsaufgabe in Folge ist richtig, nötig sind { $needed }
       *[other] erst { $right } Übungsaufgaben in Folge sind richtig, nötig sind { $needed }
    }
explain-streak-enough =
    { $right ->
        [1] 1 Übungsaufgabe in Folge ist richtig, nötig sind { $needed }
       *[other] { $right } Übungsaufgaben in Folge sind richtig, nötig sind { $needed }
    }
explain-no-question = keine { $tier }-Frage zu „{ $unit }“ wurde gefunden
explain-exam-system-away = das Prüfungssystem hat nicht geantwortet
explain-locked-until =
    { $count ->
        [1] 1 { $tier }-Frage zu „{ $unit }“ ist bis { $until } gesperrt
       *[other] { $count } { $tier }-Fragen zu „{ $unit }“ sind gesperrt, die erste bis { $until }
    }
explain-locked =
    { $count ->
        [1] 1 { $tier }-Frage zu „{ $unit }“ ist gesperrt, bis wann, sagt das Prüfungssystem nicht
       *[other] { $count } { $tier }-Fragen zu „{ $unit }“ sind gesperrt, bis wann, sagt das Prüfungssystem nicht
    }
explain-passed =
    { $count ->
        [1] 1 { $tier }-Frage zu „{ $unit }“ ist schon bestanden
       *[other] { $count } { $tier }-Fragen zu „{ $unit }“ sind schon bestanden
    }
explain-unknown =
    { $count ->
        [1] zu 1 { $tier }-Frage zu „{ $unit }“ hat das Prüfungssystem nichts gesagt
       *[other] zu { $count } { $tier }-Fragen zu „{ $unit }“ hat das Prüfungssystem nichts gesagt
    }
explain-narrowed = der gedrückte Knopf verlangt { $wanted } und sonst nichts
explain-pressed-drill = dort wurde der Knopf für eine Übungsaufgabe gedrückt
explain-pressed-exam = dort wurde der Knopf für eine Prüfungsfrage gedrückt
explain-pressed-drill-continue = dort wurde nach einer Übungsaufgabe der Knopf zum Weitermachen gedrückt
explain-pressed-exam-continue = dort wurde nach einer Prüfungsfrage der Knopf zum Weitermachen gedrückt
explain-pressed-hint = dort wurde der Knopf für einen Tipp gedrückt
explain-pressed-choose = dort wurde der Knopf zur Wahl eines Themas gedrückt
explain-target-mapped = die Nachricht passt dazu mit einer Sicherheit von { $confidence }, und { $needed } genügt
explain-target-guessed = dort steht die Person, und aus der Nachricht geht kein Thema sicher hervor (am ehesten „{ $unit }“ mit einer Sicherheit von { $confidence }, nötig sind { $needed })
explain-target-kept = dort steht die Person, und aus der Nachricht geht kein Thema sicher hervor
explain-focus-is-target = darum geht es, und nichts kommt davor
explain-focus-is-prerequisite = „{ $target }“ braucht es zuerst
explain-leads-to-target = es führt zu „{ $target }“, wonach gefragt wurde
explain-no-badge-to-earn = in „{ $unit }“ gibt es keine Auszeichnung
explain-last-badge = „{ $unit }“ hat schon Gold
explain-next-badge-closed = keine { $tier }-Frage zu „{ $unit }“ ist jetzt offen
explain-no-badge-yet = „{ $unit }“ hat noch keine Auszeichnung
explain-next-badge-ahead = in „{ $unit }“ kommt als Nächstes { $tier }
explain-no-unit-left = keines ist übrig
explain-check-open = nach einer Prüfungsfrage zu „{ $unit }“ kann gefragt werden, denn { $streak }
explain-none-missing = „{ $target }“ fehlt keine Voraussetzung

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
teaching-check-1 = Das sieht nach einer Antwort aus. Drück unten auf den Knopf, dann kann ich dir sagen, ob sie richtig ist.
teaching-check-2 = Ist das deine Antwort? Dann lass sie mit dem Knopf unten prüfen.
teaching-check-3 = Schreib deine Antwort unter die Aufgabe und drück auf „{ $button }“: Dann weißt du es.
teaching-show-1 = Schreib die Aufgabe, wie sie dasteht, und die Zeilen, die du bisher hast. Bei welcher bist du am wenigsten sicher?
teaching-show-2 = Ich sehe es noch nicht. Wie lautet die Aufgabe, und was hast du darunter geschrieben, Zeile für Zeile?
teaching-greeting = Hallo!
teaching-goodbye = Tschüss, bis zum nächsten Mal!
teaching-thanks = Gern!
teaching-understood = Gut.
teaching-sad = Es tut mir leid, dass es dir gerade nicht gut geht; vielleicht hilft es, mit jemandem zu reden, dem du vertraust, und das hier kann warten, bis du so weit bist.
teaching-idea = { $idea } (Aus: { $source }) Wie würdest du das in eigenen Worten sagen?
teaching-idea-card = Hier ist die Idee hinter „{ $unit }“. Mehr findest du in deiner Lektion: { $source }.
teaching-passage = In deiner Lektion steht: { $idea } (Aus: { $source }) Welcher Teil davon hilft dir hier?
teaching-quote = In deiner Lektion steht: { $idea } (Aus: { $source })
teaching-example = Hier ist ein gelöstes Beispiel. Lies es Zeile für Zeile.
teaching-example-again = Hier ist noch eines, das gelöst ist: Welche Zeile davon ist dir neu?
teaching-example-then = Welche Zeile ist dir noch nicht klar?
teaching-sibling = Hier ist eine Aufgabe wie deine, mit anderen Zahlen.
teaching-sibling-again = Hier ist noch eine wie deine, gelöst: Welchen Schritt davon kannst du gebrauchen?
teaching-sibling-then = Welchen dieser Schritte machst du bei deiner als Nächstes?
teaching-hint-then-1 = Was fällt dir auf?
teaching-hint-then-2 = Wie hilft dir das hier?
teaching-hint-then-3 = Was bekommst du?
teaching-hint-then-again = Wie heißt dann die nächste Zeile?
teaching-line = Ich habe deine Zeile nicht geprüft; vergleich sie mit der davor, Glied für Glied.
teaching-plain = Rechne es so aus, wie du es kennst, und prüf es mit der Umkehraufgabe. Welche Zahl bekommst du?
teaching-put-in = Setze deinen Wert für die Unbekannte der Gleichung ein, und rechne jede Seite einzeln aus. Kommt auf beiden Seiten dasselbe heraus?
teaching-which-topic = Ich kann dir eine Aufgabe stellen oder ein Beispiel zeigen, sobald ich das Thema kenne. Welches Thema soll es sein?
teaching-step-again = Der erste Schritt bleibt derselbe: { $step }
teaching-drill-1 = Hier ist eine kurze Aufgabe zu „{ $unit }“. Nimm dir Zeit.
teaching-drill-2 = Jetzt eine für dich. Schreib jeden Schritt auf.
teaching-drill-3 = Versuch diese hier. Fang mit dem Schritt an, bei dem du dir sicher bist.
teaching-no-drill-1 = Schreib ein kleines eigenes Beispiel zu „{ $unit }“ auf, und löse es.
teaching-no-drill-2 = Denk dir eine Aufgabe aus, die du schwer findest, und versuch sie auf Papier zu lösen.
teaching-exam-1 = Hier ist eine Frage, mit der du prüfen kannst, was du über „{ $unit }“ weißt.
teaching-exam-2 = Mit dieser Frage kannst du zeigen, was du gelernt hast.
teaching-wrong-again = Das ist noch nicht richtig. Vergleich jede deiner Zeilen mit der davor: Welche folgt nicht daraus?
teaching-wrong-again-partly = Das passt zum Teil, ist aber noch nicht das, was verlangt ist. Lies die Aufgabe noch einmal: Was ist noch zu tun?
teaching-point-term = Was steht auf der Seite der Unbekannten neben ihr, und was steht auf der anderen Seite?
teaching-point-factor = Was wird mit der Unbekannten gemacht, und welche Rechenart macht es rückgängig?
teaching-point-brackets = Welche Terme stehen in Klammern, und was steht vor den Klammern?
teaching-point-like = Welche Glieder sind gleichartig?
teaching-point-root = Die Unbekannte steht hier im Quadrat. Welche Rechenart macht das Quadrieren rückgängig?
teaching-point-product = Auf einer Seite steht ein Produkt. Wann verschwindet ein Produkt?
teaching-point-common = Was haben alle Terme gemeinsam?
teaching-point-pair = Schau auf die Zahl ohne Buchstaben und auf die Zahl vor dem Buchstaben. Wie könnten beide beim Ausmultiplizieren von Klammern entstehen?
teaching-point-order = Welcher Teil muss vor allen anderen ausgerechnet werden?
teaching-point-denominator = Schau auf die Nenner. Sind die Teile gleich groß?
teaching-point-bars = Was steht über den Bruchstrichen, und was darunter?
teaching-point-power = Was sagt der Exponent über das, was vor ihm steht?
teaching-point-signs = Welche Vorzeichen haben die Zahlen?
teaching-point-put-in = Was heißt es, dass eine Zahl eine Lösung einer Gleichung ist?
teaching-rule-term = Was du auf einer Seite machst, musst du auch auf der anderen machen. Subtrahieren macht Addieren rückgängig, und Addieren macht Subtrahieren rückgängig.
teaching-rule-factor = Was du auf einer Seite machst, musst du auch auf der anderen machen. Dividieren macht Multiplizieren rückgängig, und Multiplizieren macht Dividieren rückgängig.
teaching-rule-turn = Was du auf einer Seite machst, musst du auch auf der anderen machen. Wenn du eine Ungleichung durch eine negative Zahl teilst, dreht sich ihr Zeichen um.
teaching-rule-brackets = Jeder Term in der Klammer wird mit dem malgenommen, was davor steht, samt seinem Vorzeichen.
teaching-rule-power-of-sum = Ein Quadrat ist die Klammer mal sie selbst, und jeder Term der ersten wird mit jedem der zweiten malgenommen. Eine höhere Potenz hat mehr solche Faktoren.
teaching-rule-like = Nur Glieder mit denselben Buchstaben und denselben Potenzen lassen sich zusammenfassen: Du addierst die Zahlen davor.
teaching-rule-numbers = Zahlen, die addiert und subtrahiert werden, kann man zusammen ausrechnen, wo immer sie in der Summe stehen. In einer Gleichung müssen sie auf derselben Seite stehen.
teaching-rule-root = Ein Quadrat verrät das Vorzeichen nicht: Eine Zahl und ihre Gegenzahl haben dasselbe Quadrat.
teaching-rule-square-sign = Ein Quadrat ist nie negativ: Wenn man eine Zahl mit sich selbst malnimmt, geben gleiche Vorzeichen plus.
teaching-rule-product = Ein Produkt verschwindet genau dann, wenn mindestens ein Faktor verschwindet.
teaching-rule-common = Was alle Terme gemeinsam haben, kann man vor eine Klammer schreiben, und in der Klammer steht, was von jedem übrig bleibt.
teaching-rule-pair = Wenn man Klammern ausmultipliziert, in denen je der Buchstabe plus eine Zahl steht, steht das Produkt der Zahlen am Ende und ihre Summe vor dem Buchstaben.
teaching-rule-order = Zuerst kommen Klammern und was über und unter einem Bruchstrich steht, dann Potenzen, dann Produkte und Quotienten, dann Summen und Differenzen.
teaching-rule-left = Produkte und Quotienten werden der Reihe nach ausgerechnet, von links nach rechts.
teaching-rule-denominator = Brüche kann man addieren und subtrahieren, wenn sie denselben Nenner haben. Dazu erweiterst du: Zähler und Nenner werden mit derselben Zahl malgenommen.
teaching-rule-numerators = Brüche mit demselben Nenner zählen gleich große Teile: Die Zähler werden addiert oder subtrahiert, und der Nenner bleibt.
teaching-rule-bars = Brüche werden multipliziert, indem man Zähler mit Zähler und Nenner mit Nenner malnimmt. Eine ganze Zahl kommt zu den Zählern.
teaching-rule-power-of-fraction = Eine Potenz ist ein Produkt aus demselben Faktor. Brüche werden multipliziert, indem man Zähler mit Zähler und Nenner mit Nenner malnimmt.
teaching-rule-signs-add = Bei gleichen Vorzeichen addierst du die Zahlen ohne sie und behältst das Vorzeichen. Bei verschiedenen subtrahierst du die kleinere von der größeren, beide ohne Vorzeichen, und nimmst das Vorzeichen der Zahl, die ohne Vorzeichen größer ist.
teaching-rule-opposite = Eine Zahl zu subtrahieren ist dasselbe, wie ihre Gegenzahl zu addieren.
teaching-rule-signs-multiply = Beim Malnehmen und Teilen geben gleiche Vorzeichen plus und verschiedene minus.
teaching-rule-put-in = Eine Zahl ist genau dann eine Lösung einer Gleichung, wenn beide Seiten mit ihr denselben Wert haben.
teaching-step-add = Addiere ${ $term }$ auf beiden Seiten.
teaching-step-subtract = Subtrahiere ${ $term }$ auf beiden Seiten.
teaching-step-multiply = Multipliziere beide Seiten mit ${ $term }$.
teaching-step-divide = Teile beide Seiten durch ${ $term }$.
teaching-step-turn = Teile beide Seiten durch ${ $term }$, und dreh das Zeichen um.
teaching-step-multiply-out = Multipliziere die Klammern aus, und schreib den Rest ab, wie er ist.
teaching-step-power-of-sum = Schreib die Potenz als Produkt von Klammern, und nimm jeden Term der ersten mit jedem der zweiten mal.
teaching-step-put-together = Fass die gleichartigen Glieder zusammen, bevor du irgendetwas anderes machst.
teaching-step-numbers = Rechne die Zahlen aus, und schreib den Rest ab, wie er ist.
teaching-step-root = Zieh auf beiden Seiten die Wurzel, und denk an beide Vorzeichen.
teaching-step-square-sign = Vergleich das Vorzeichen eines Quadrats mit dem der Zahl auf der anderen Seite. Was sagt das über die Lösungen?
teaching-step-product-zero = Nimm die Faktoren auseinander: Lass jeden von ihnen verschwinden, und löse nach der Unbekannten auf.
teaching-step-take-out = Klammere aus, was die Terme gemeinsam haben, und schreib in die Klammer, was von jedem übrig bleibt.
teaching-step-pair = Such die Zahlenpaare, deren Produkt die Zahl ohne Buchstaben ist, und darunter das Paar mit der richtigen Summe.
teaching-step-brackets = Rechne aus, was in der Klammer steht, und schreib den Rest ab, wie er ist.
teaching-step-powers = Schreib die Potenz als Produkt, rechne es aus, und schreib den Rest ab, wie er ist.
teaching-step-products = Rechne das Produkt oder den Quotienten aus, und schreib den Rest ab, wie er ist.
teaching-step-left = Rechne aus, was ganz links steht, und schreib den Rest ab, wie er ist.
teaching-step-denominator = Finde eine Zahl, die durch alle Nenner teilbar ist, und schreib die Brüche damit.
teaching-step-numerators = Rechne die Zähler aus, und behalte den Nenner.
teaching-step-bars = Schreib einen einzigen Bruch, mit dem Produkt der Zähler über dem Bruchstrich und dem Produkt der Nenner darunter.
teaching-step-power-of-fraction = Schreib die Potenz als Produkt von Brüchen, und multipliziere sie.
teaching-step-compare-signs = Vergleich die Vorzeichen, und entscheide, ob du addierst oder subtrahierst.
teaching-step-opposite = Schreib die Differenz als Summe mit der Gegenzahl dessen, was subtrahiert wird.
teaching-step-sign-first = Bestimm das Vorzeichen, und rechne dann den Rest ohne Vorzeichen aus.
teaching-step-put-in = Setz die Zahl auf beiden Seiten für die Unbekannte ein, und rechne jede Seite für sich aus.
stuck-words = weiß nicht | weiss nicht | weiß es nicht | weiss es nicht | weiß ich nicht | weiss ich nicht | keine ahnung | kein plan | keinen plan | kann ich nicht | ich kann das nicht | ich gebe auf | geb auf | zu schwer | zu schwierig | verwirrt | check ich nicht | raff ich nicht | blicke nicht durch | blick nicht durch | komme nicht klar | komm nicht weiter | komme nicht weiter | komm da nicht weiter | komme da nicht weiter | kapier ich nicht | kapiers nicht | kapier es nicht | kapier das nicht | kapiere es nicht | kapiere das nicht | versteh ich nicht | verstehs nicht | immer noch nicht | komm nicht drauf | komme nicht drauf | sag mir die lösung | sag mir die antwort | sag mir einfach | sag es mir | sags mir | gib mir die lösung | gib mir die antwort | verrat mir | verrate mir | was ist die lösung | was ist die antwort | zeig mir die lösung | lösung bitte | sag einfach | mir das einfach sagen | was kommt raus | was kommt da raus | mach du das
# Was eine ganze Nachricht nennt, die nach der Antwort fragt, und außer filler-words nichts anderes sagt, getrennt durch |.
answer-words = die lösung | lösung | lösungen | die antwort | antwort | antworten | das ergebnis | ergebnis
own-work-words = meine antwort | meine lösung | mein ergebnis | meine rechnung | meine strategie | meine methode | die strategie ist richtig | stimmt das | stimmt es | ist das richtig | ist es richtig | ist das so richtig | habe ich recht | hab ich recht | ich habe recht | ich hab recht | ich liege richtig | ist das falsch | ist es falsch | es ist falsch | das ist falsch | es war falsch | das war falsch | das stimmt nicht | das stimmt doch | ich habe es falsch | ich hab es falsch | hab ich das richtig | habe ich das richtig | war das richtig | war es richtig | hab ich es richtig
own-work-filler-words = ich glaube | ich denke | ich finde | ich meine | glaube ich | denke ich | ich weiß | du weißt | du weißt es | wirklich | immer noch | trotzdem | auch | aber | der | die | das | es | ist | war | sind | strategie | methode | weg | antwort | lösung | ergebnis | rechnung | aufgabe | gleichung | hausaufgabe | richtig | falsch | korrekt | stimmt | geht | funktioniert | sicher | unsicher | ich bin | ich bin mir | bin mir | nicht | weil | vielleicht | wahrscheinlich | oder | schon | ganz | nur | wie | ich weiß nicht ob | ich weiss nicht ob | weiß nicht ob | nicht sicher ob | sag mir | sag mir ob | kannst du | prüfen | was meinst du
exercise-words = gib mir eine aufgabe | gib mir noch eine aufgabe | gib mir aufgaben | gib mir ein paar aufgaben | gib mir eine übung | gib mir noch eine | gib mir was zum üben | gib mir etwas zum üben | stell mir eine aufgabe | stelle mir eine aufgabe | ich möchte eine aufgabe | ich will eine aufgabe | ich brauche eine aufgabe | ich hätte gern eine aufgabe | kann ich eine aufgabe haben | kann ich eine aufgabe bekommen | kann ich noch eine haben | kann ich noch eine aufgabe | eine aufgabe bitte | eine aufgabe zu | aufgaben zu | eine leichtere aufgabe | eine einfachere aufgabe | eine schwerere aufgabe | kann ich eine leichtere | kann ich eine einfachere | was leichteres | etwas leichteres | was schwereres | etwas schwereres | ich möchte üben | ich will üben | lass mich üben | frag mich ab | übung zu | übungen zu | noch ne aufgabe
example-words = zeig mir ein beispiel | zeig mir noch ein beispiel | zeige mir ein beispiel | gib mir ein beispiel | gib mir noch ein beispiel | mach mir ein beispiel | mach ein beispiel | beispiel bitte | noch ein beispiel | ich brauche ein beispiel | ich möchte ein beispiel | hast du ein beispiel
show-words = beispiel | ein beispiel | noch ein beispiel | zeig mir | zeig mir wie | zeig es mir | zeigs mir | kannst du mir das zeigen
next-words = nächste | die nächste | nächste aufgabe | die nächste aufgabe | noch eine | noch eine aufgabe | eine andere | eine andere aufgabe | andere aufgabe | aufgabe | eine aufgabe | eine leichtere | überspringen | überspring das | überspringe das | skip | übung | eine übung | üben | noch ne aufgabe | noch so eine | gib mir noch so eine | gib mir so eine | eine schwerere | eine einfachere | leichter | schwerer | jetzt ich
go-on-words = weiter | was jetzt | was nun | und jetzt | was kommt jetzt | was kommt als nächstes | was soll ich jetzt machen | was mache ich jetzt
why-words = warum | wieso | weshalb | wozu | woher kommt | der grund
greeting-words = hallo | hi | hey | moin | servus | grüezi | guten morgen | guten tag | guten abend | hallo zusammen | wie geht's | wie gehts | wie geht es dir
goodbye-words = tschüss | tschüß | tschau | ciao | bye | auf wiedersehen | bis bald | bis morgen | bis später | bis dann | gute nacht | ich muss los | ich muss jetzt los | ich muss weg | ich muss jetzt weg | ich muss gehen | ich muss jetzt gehen | kann ich gehen | kann ich jetzt gehen | darf ich gehen | darf ich jetzt gehen | kann ich aufhören | muss los | muss jetzt los | muss weg | muss jetzt weg | muss gehen | muss jetzt gehen | ich muss aufhören | ich muss jetzt aufhören | muss aufhören | ich muss schluss machen | ich muss jetzt schluss machen | muss schluss machen | ich mach schluss | ich mach jetzt schluss | ich mache jetzt schluss | ich mache schluss | ich geh jetzt | ich gehe jetzt | ich bin weg | bin weg | keine aufgaben mehr | ich will keine aufgaben mehr machen | keine übungen mehr | keine fragen mehr | keine aufgabe mehr | ich will keine aufgaben mehr | ich möchte keine aufgaben mehr | ich mag keine aufgaben mehr | genug aufgaben | genug geübt | genug für heute | das reicht für heute
thanks-words = danke | danke schön | dankeschön | vielen dank
understood-words = ok | okay | oki | verstanden | verstehe | ich verstehe | ich verstehe es | ich verstehe das | habs verstanden | ich habs verstanden | ich hab's verstanden | ich habe es verstanden | kapiert | alles klar | klar | aha | achso | ach so | macht sinn | das macht sinn | ergibt sinn | das ergibt sinn | gut | super | cool | toll | perfekt | jetzt versteh ich es | jetzt versteh ichs | jetzt verstehe ich es | jetzt verstehe ich | versteh ichs
filler-words = ja | jo | jep | oh | ah | na | also | und | so | dann | jetzt | nun | heute | bitte | dir | sehr | mal | wieder | doch | vielen | vielmals | für alles | für deine hilfe | für die hilfe | für heute
sad-words = traurig | unglücklich | niedergeschlagen | weinen | weine | geweint | wein | heulen | heule | heul | geheult | gestorben | verstorben | ist tot | gestern tot | schlecht drauf | geht mir nicht gut | geht's mir nicht gut | gehts mir nicht gut | geht es mir nicht gut | mir geht es nicht gut | mir geht's nicht gut | mir gehts nicht gut | mir geht es heute nicht gut | mir geht's heute nicht gut | mir gehts heute nicht gut | mir geht es schlecht | mir geht's schlecht | mir gehts schlecht | geht mir schlecht | geht es mir schlecht | schlechter tag | schlechten tag | schlimmer tag | schlimmen tag | liebeskummer | hat schluss gemacht | hat mit mir schluss gemacht | lassen sich scheiden | trennen sich | haben sich getrennt
sad-filler-words = ich | bin | ich bin | ich war | ich muss | muss | ich musste | ich könnte | ich möchte | ich will | ich habe | ich hab | habe | hab | ich fühle mich | ich fühl mich | ich kann nicht aufhören zu | es | mir | ist | sind | war | hatte | ein | eine | einen | gerade | grad | gestern | heute morgen | letzte woche | die ganze zeit | den ganzen tag | jeden tag | ständig | immer | nur | einfach | echt | voll | total | richtig | ganz | ein bisschen | bisschen | weil | deshalb | deswegen | denn | aber | auch | mein | meine | unser | unsere | der | die | oma | omi | großmutter | grossmutter | opa | opi | großvater | grossvater | mama | mutter | papa | vater | eltern | bruder | schwester | onkel | tante | cousin | cousine | freund | freundin | bester freund | beste freundin | lehrer | lehrerin | hund | katze | kater | hamster | hase | kaninchen | meerschweinchen | vogel | pferd | haustier | ich kann mich nicht konzentrieren | kann mich nicht konzentrieren | kann ich mich nicht konzentrieren | ich kann nicht denken | kann nicht denken
