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
