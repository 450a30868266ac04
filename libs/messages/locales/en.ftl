# Texts that students and teachers read, in English. A key that another locale lacks falls back to this file.
# A comment above a message says where it appears; placeholders are explained there, too.

# The whole answer of a turn for which the policy could not be asked.
policy-unavailable = I can't look at your course right now. Please try again in a moment; nothing you did is lost.

# The badges of a unit, and the exam questions that lead to them.
tier-bronze = bronze
tier-silver = silver
tier-gold = gold

# After a wrong exam answer or a look at help, and when the student goes on while nothing can be taken.
# { $tier }: a badge; { $unit }: a unit's title; { $until }: a time in UTC; { $next }: another unit's title.
exam-locked-until = The { $tier } question of { $unit } is locked until { $until }.
exam-locked = The { $tier } question of { $unit } is locked for now.
meanwhile-practise = Until then you can practise here, or work on another unit.
meanwhile-next = Until then you can practise here, or go on with { $next }.

# After a right exam answer; the second one where it brings a badge.
exam-passed = Passed: that is right.
exam-passed-badge = Passed: you now have { $tier } in { $unit }.

# When the student goes on after the highest badge of a unit, and after that of the last unit.
# { $units }: how many units the course has.
unit-gold = You have gold in { $unit }, the highest badge. The next unit is { $next }.
course-gold = You have gold in all { $units } units: you have reached the end of this course. You can still practise any unit, or ask about anything in it.
