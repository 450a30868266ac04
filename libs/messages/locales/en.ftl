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

# The whole answer of the homework helper to a message that it leads back to the lesson, where the lesson's author wrote none:
# one about another subject, one about none of the topics, one in a lesson without topics, one that asks for a text language in
# a lesson with blocks. { $topics }: up to three topics, with commas; { $lesson }: the lesson's title.
helper-redirect-scope = That does not belong to this lesson. Here I can help you with: { $topics }. Please ask your question again so that I can see what it has to do with them.
helper-redirect-topic = That is not one of the topics of this chat. Here I can help you with: { $topics }. What would you like to know about them?
helper-redirect-lesson = That does not belong to this lesson. Here I can help you with: { $lesson }. What would you like to know about it?
helper-redirect-text-language = This lesson works with blocks, not with a language that is typed. Tell me what your program should do, and we will find the blocks for it.

# The question that an answer of the homework helper ends with where the model asked none. Exactly one question mark each.
helper-check-debug = What do you think happens just before it goes wrong?
helper-check-concept = Can you say that in your own words, with an example of your own?
helper-check-strategy = Which step would you take first, and why?
helper-check-reflection = How could you check that yourself?
helper-check-status = Which part could you explain to somebody else now?
helper-check-general = Which part of this could you explain in your own words?

# Messages that a student can send next, on buttons. { $topic }: a topic of the lesson.
helper-suggest-debug-find = How do I find where it goes wrong?
helper-suggest-debug-test = How can I test one part at a time?
helper-suggest-concept-example = Can you show me an example?
helper-suggest-concept-words = Can you explain it in simpler words?
helper-suggest-strategy-first = What should I do first?
helper-suggest-strategy-given = What do I know already?
helper-suggest-reflection-check = How can I check my answer?
helper-suggest-reflection-other = Is there another way to do it?
helper-suggest-status-next = What should I do next?
helper-suggest-status-harder = Can you give me a harder question?
helper-suggest-general-start = Where should I start?
helper-suggest-general-example = Can you show me an example?
helper-suggest-topic = Can you explain this topic: { $topic }?
