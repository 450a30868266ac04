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

# Before a reply whose focus is not what was asked for, one of three: the focus comes before it; another unit does; it can
# be begun now. After the first two the fourth: how many units come before it.
# { $target }: the title of what was asked for; { $unit }: the focus's; { $next }: the next unit's; { $steps }: a number.
way-before = Before { $target }: { $unit }.
way-next = On the way to { $target }, { $next } comes next.
way-open = You asked for { $target }: it can come next.
way-steps =
    { $steps ->
        [1] One step to go.
        [2] Two steps to go.
        [3] Three steps to go.
        [4] Four steps to go.
        [5] Five steps to go.
        [6] Six steps to go.
        [7] Seven steps to go.
        [8] Eight steps to go.
        [9] Nine steps to go.
        [10] Ten steps to go.
        [11] Eleven steps to go.
        [12] Twelve steps to go.
       *[other] { $steps } steps to go.
    }

# The whole answer without a model where a first message could not be placed; its units are offered as buttons.
# { $units }: up to three titles.
choose-unit = Which of these is it about: { $units }?
choose-this-unit = Is it about { $units }?

# The whole answer of the homework helper where the model's own must not be read: it says what no student should read.
chat-unsafe = I can't say that here. Please ask me again, or ask your teacher.

# What the helper says instead of the solution of the student's own problem, by its kind. A hint states no number.
# { $formula }: the problem as the student typed it.
chat-hint-about = You are working on { $formula }.
chat-hint-equation = What can you do to both sides first, so that the unknown is closer to standing alone?
chat-hint-system = Can you get rid of an unknown, by adding the equations or by putting one into the other?
chat-hint-inequality = What can you do to both sides first? Watch out for the moment when the sign has to turn around.
chat-hint-calculation = Which operation comes first here, and why?
chat-hint-fraction = What has to be true of the denominators before you calculate? Which operation comes first?
chat-hint-percent = What does the percentage mean as a fraction? What is the whole here?
chat-hint-simplify = Which terms are alike, so that they can be put together?
chat-hint-expand = What has each term in the brackets to be multiplied by?
chat-hint-factor = What do all the terms have in common? Is there a pattern that you know?
chat-hint-program = Let's take it in small pieces: what should your program do first, and how would you say that in your own words?
chat-hint-general = Let's find it step by step: what do you know already, what are you looking for, and what have you tried?

# Before the lesson's own text, where no model may answer.
chat-reference = I can't answer in my own words right now. This is what your lesson says:

# Words that end the questions an answer needs, apart by |. Only a message that is one of them counts.
clarification-skip-words = skip | skip it | skip the questions | no more questions
clarification-cancel-words = cancel | stop | never mind | nevermind

# After an answer for which a person was asked to step in.
clarification-handoff = I've let your teacher know, too.

# Instead of an answer that needs something nobody supplied in time. { $titles }: what, with commas.
context-apology = I'm sorry, I can't answer this well without: { $titles }. Send your message again once you have it.

# After an answer that goes without something it should have had. { $titles }: what, with commas.
context-without = I answered without: { $titles }.

# What `turnwise course new` writes into a new course, for its author to go on from.
# { $n }, { $sessions }: numbers of sessions; { $title }: the course's title; { $minutes }: of a session; { $from }, { $to }: years of age.
new-course-session = Session { $n }
new-course-summary = Session { $n } of { $sessions } of { $title }: { $minutes } minutes, for students aged { $from } to { $to }.
new-course-goal = Goal
new-course-goal-text = Say in one sentence that a student aged { $from } to { $to } understands what can be done after these { $minutes } minutes.
new-course-explanation = Explanation
new-course-explanation-text = Explain one idea. Begin with something that the students know, and plan how many of the { $minutes } minutes it takes.
new-course-example = Example
new-course-example-text = Work through one example, a step a line, and say why each step is taken.
new-course-practice = Practice
new-course-practice-text = Describe what the students do on their own, and how they can check it themselves.
new-course-reference-text = What the helper should have at hand in this session: rules, definitions, names of tools. No solutions of exercises.
# A comment above the units.
new-course-units-comment = A unit without an exam question has `assessable: false` and counts as met. Remove the line when the unit has a bronze question.
# A comment above a lesson's topics.
new-course-topics-comment = What a chat about this lesson may touch. `turnwise course topics` suggests more from the text.

# The whole answer of the homework helper to a message that it leads back to the lesson, where the lesson's author wrote none:
# one about another subject, one about none of the topics, one in a lesson without topics, one in a lesson without topics or title, one that asks for a text language in
# a lesson with blocks. { $topics }: up to three topics, with commas; { $lesson }: the lesson's title.
helper-redirect-scope = That does not belong to this lesson. Here I can help you with: { $topics }. Please ask your question again so that I can see what it has to do with them.
helper-redirect-topic = That is not one of the topics of this chat. Here I can help you with: { $topics }. What would you like to know about them?
helper-redirect-lesson = That does not belong to this lesson. Here I can help you with: { $lesson }. What would you like to know about it?
helper-redirect-unnamed = That does not belong to this lesson. What would you like to know about the lesson?
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

# Help with a procedure that needs no model. The first: every step is complete. The last: the step has no words of its own. The
# others are sentences before what the step is about.
procedure-finished = Every step of this procedure is complete.
procedure-unobserved = I cannot see yet what you have done.
procedure-stepped-back = Something that was done before is no longer so.
procedure-pending = Something else comes before this step.
procedure-checklist = Review the current step of the checklist.

# A condition that does not hold, and what is known of its variables. { $condition }: an expression; { $readings }: some of the
# messages after it, with commas; { $value }: a number with its unit, true, false, or a word of the course.
procedure-unmet = `{ $condition }` does not hold: { $readings }
procedure-unmet-alone = `{ $condition }` does not hold
procedure-var-known = { $name } is { $value }
procedure-var-missing = { $name } is not known
procedure-var-unusable = { $name } has a value that cannot be used

# Teaching
# What the tutor says without a model, around what the course's author wrote. { $unit }: the unit's title; { $idea }: a
# misconception or a key idea of the author's; { $source }: the title of the lesson's section that says more.
# Around a misconception, in turn. Each ends with its only question mark.
teaching-doubt-1 = Let us look at { $unit } together. Somebody says: “{ $idea }” Would you agree, and how could you check it?
teaching-doubt-2 = Many people who begin with { $unit } think: “{ $idea }” Can you find an example that speaks against it?
teaching-doubt-3 = “{ $idea }” What would you answer somebody who says so about { $unit }?
# Without a misconception.
teaching-open-unit = What do you already know about { $unit }, and where does it become unclear?
teaching-tried = What have you tried so far, and at which step did you stop?
teaching-open = Which part of this could you explain to somebody else, and which not yet?
# Where the message reads as an answer to the open exercise, above a button that has it checked.
teaching-check-1 = That looks like an answer. Press the button below, and I can tell you whether it is right.
teaching-check-2 = Is that your answer? Then have it checked with the button below.
# After the author's words on the mistake in the last answer, where they ask nothing.
teaching-mistake-then = Where do you see that in your last answer?
# The key idea: in a text, and before a card that holds it.
teaching-idea = { $idea } (From: { $source }) How would you say that in your own words?
teaching-idea-card = Here is the idea behind { $unit }. You find more in your lesson: { $source }.
# The first sentences of a lesson's text that fits the message.
teaching-passage = Your lesson says: { $idea } (From: { $source }) Which part of this helps you here?
# Before and after a worked example, and one like the open exercise.
teaching-example = Here is a worked example. Read it line by line.
teaching-example-then = Which line is not clear to you yet?
teaching-sibling = Here is an exercise like yours, with other numbers.
teaching-sibling-then = Which of these steps do you take next in yours?
# After a hint that asks nothing: on what to look at, on the rule, on the next step.
teaching-hint-then-1 = What do you notice?
teaching-hint-then-2 = How does that help you here?
teaching-hint-then-3 = What do you get?
# Before an exercise; where there is none; before an exam question. Only the first of each names the unit.
teaching-drill-1 = Here is a short exercise on { $unit }. Take your time.
teaching-drill-2 = Now one for you. Write down each step.
teaching-drill-3 = Try this one. Begin with the step that you are sure of.
teaching-no-drill-1 = Write down a small example of your own for { $unit }, and solve it.
teaching-no-drill-2 = Make up an exercise that you find hard, and try to solve it on paper.
teaching-exam-1 = Here is a question to check what you know about { $unit }.
teaching-exam-2 = With this question you can show what you have learned.
# On a wrong answer after another wrong one, so that nobody reads the same twice in a row.
teaching-wrong-again = That is not right yet. Compare each of your lines with the one before it: which one does not follow?
# Hints on an exercise whose author wrote none: what to look at, the rule, the next step. None of them states a number but
# { $term }, a number or a term of the exercise in LaTeX.
teaching-point-term = What stands beside the unknown on its side, and what stands on the other side?
teaching-point-factor = What is done to the unknown, and which operation undoes it?
teaching-point-brackets = Which terms stand in brackets, and what stands before the brackets?
teaching-point-like = Which terms are alike?
teaching-point-root = The unknown is squared here. Which operation undoes squaring?
teaching-point-product = There is a product on a side. When does a product vanish?
teaching-point-common = What do all the terms have in common?
teaching-point-pair = Look at the number without a letter, and at the number before the letter. How could both come from multiplying brackets out?
teaching-point-order = Which part has to be worked out before all the others?
teaching-point-denominator = Look at the denominators. Are the parts equally large?
teaching-rule-term = What you do to a side you have to do to the other one, too. Subtracting undoes adding, and adding undoes subtracting.
teaching-rule-factor = What you do to a side you have to do to the other one, too. Dividing undoes multiplying, and multiplying undoes dividing.
teaching-rule-turn = What you do to a side you have to do to the other one, too. When you divide an inequality by a negative number, its sign turns around.
teaching-rule-brackets = Each term in the brackets is multiplied by what stands before them, with its sign.
teaching-rule-like = Only terms with the same letters and the same powers can be put together: you add the numbers before them.
teaching-rule-root = A square does not tell the sign: a number and its opposite have the same square.
teaching-rule-product = A product vanishes exactly when at least a factor of it does.
teaching-rule-common = What all the terms share can be written before brackets, and in the brackets stands what is left of each.
teaching-rule-pair = When you multiply such brackets out, the product of their numbers stands at the end, and their sum before the letter.
teaching-rule-order = First come brackets, and what stands above and below a fraction bar, then powers, then products and quotients, then sums and differences.
teaching-rule-denominator = Fractions can be added and subtracted when they have the same denominator. To get there, multiply top and bottom of a fraction by the same number.
teaching-step-add = Add ${ $term }$ to both sides.
teaching-step-subtract = Subtract ${ $term }$ from both sides.
teaching-step-multiply = Multiply both sides by ${ $term }$.
teaching-step-divide = Divide both sides by ${ $term }$.
teaching-step-turn = Divide both sides by ${ $term }$, and turn the sign around.
teaching-step-multiply-out = Multiply the brackets out, and copy the rest as it is.
teaching-step-put-together = Put the like terms together, before you do anything else.
teaching-step-root = Take the square root of both sides, and think of both signs.
teaching-step-product-zero = Take the factors apart: let each of them vanish, and solve for the unknown.
teaching-step-take-out = Write what the terms share before brackets, and what is left of each into them.
teaching-step-pair = List the pairs of numbers whose product is the number without a letter, and look for the pair with the right sum.
teaching-step-brackets = Work out what stands in the brackets, and copy the rest as it is.
teaching-step-powers = Write the power as a product, work that out, and copy the rest as it is.
teaching-step-products = Work out the product or quotient, and copy the rest as it is.
teaching-step-denominator = Find a number that all the denominators divide, and write the fractions with it.
# Words by which students say that they are stuck, apart by |. A message that holds such a run of words asks for help.
teaching-stuck-words = i don't know | i dont know | idk | dunno | no idea | no clue | i can't | i cant | i give up | too hard | too difficult | confused | lost me | i'm lost | im lost
