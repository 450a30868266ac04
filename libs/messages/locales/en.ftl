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
way-before = For { $target } you need { $unit } first.
way-next = On the way to { $target }, { $next } comes next.
way-open = { $target } can come next.
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
choose-unit = I am not sure which topic you mean. Which of these is it about: { $units }? If it is none of them, write it in other words; this course may not have it.
# The same where the lesson that was found stands before it.
choose-unit-after-lesson = Was that it? If not, which of these is it about: { $units }?
choose-this-unit = Is it about { $units }?

# What a button says, where the client has no words of its own. Behind some of them a client shows a unit's title or what was
# typed. The last three stand below a question that is asked before an answer.
button-take-exam = Take the exam question
button-check-prerequisite = Check this first
button-next-unit = Go on with the next unit
button-choose-unit = It is about
button-try-drill = Try a drill
button-ask-hint = Give me a hint
button-ask-hint-on-card = I'm stuck
button-ask-follow-up = Ask a follow-up
button-check-answer = Check answer
button-check-typed = Check this as my answer
button-submit-answer = Submit
button-view-memo = View memo
button-view-video = Watch video
button-continue = Continue
button-try-another = Try another
clarification-button-skip = No more questions, answer now
clarification-button-correct = Correct my last answer
clarification-button-cancel = Answer without all this

# What a student reads after a drill where no model words it: by verdict, by why it is that, and by task. None of it gives the
# answer away. The one without an ending stands for whatever has no words of its own.
feedback-right = That is right.
feedback-right-solution = That is right: it solves the exercise, and nothing is missing.
feedback-right-value = That is right: this is the value.
feedback-right-simplified = That is right: it is equal, and it is in simple form.
feedback-right-expanded = That is right: it is equal, and all brackets are gone.
feedback-right-factored = That is right: it is equal, and it is fully factored.
feedback-right-converted = That is right: it is the same amount, in the form that was asked for.
feedback-right-compared = That is right: this is how the two compare.
feedback-not-set-here = I cannot check that: this exercise was not set for you here. Nothing was counted. Ask for a new one.
feedback-wrong = That is not the answer yet. Go through it once more, one step at a time: where could it have gone wrong?
feedback-wrong-incomplete = What you wrote does solve it, but it is not everything. Are there other solutions?
feedback-wrong-solution = That does not solve it yet. Put your answer back into the exercise: where does it stop being true?
feedback-wrong-copied = That is the exercise itself, so there is a step to take yet. What would you do first?
feedback-wrong-not-factored = That is equal to the exercise, but it is not fully factored. Which part of it could still be written as a product?
feedback-wrong-not-expanded = That is equal to the exercise, but there are still brackets to multiply out. Which ones?
feedback-wrong-not-simplified = That is equal to the exercise, but it can be made simpler. Which parts belong together, or share a factor?
feedback-wrong-not-converted = That is the same amount, but not in the form that was asked for. Which form does the exercise want?
feedback-wrong-unit = The number is right, but the unit is not. What is being measured, and in what?
feedback-wrong-value = That is not the value. Go through the calculation once more, one step at a time: which comes first?
feedback-wrong-unequal = That is not equal to the exercise. Work out both, with a small number for each letter if there are any: after which step do they part?
feedback-wrong-amount = That is not the same amount. What stays the same when only the form changes?
feedback-wrong-comparison = That is not how the two compare. Where would each of them stand on a number line?
feedback-unclear = I could not check that, try again. Nothing was counted. It may help to write the answer in another way.
feedback-unclear-unreadable = I could not check that: I cannot read it as an answer. Nothing was counted. Write only the answer, as a number, an expression or an equation, and try again.
feedback-unclear-unfinished = So far so good, but it is not finished. Nothing was counted. Work it out to the end, and try again.
feedback-unclear-not-factored = That looks equal to the exercise, but maybe not fully factored. Nothing was counted. Is there one more factor to take out? Write it as one product, and try again.
feedback-unclear-not-expanded = That looks equal to the exercise, but there are still brackets to multiply out. Nothing was counted. Multiply them out, and try again.
feedback-unclear-not-simplified = That looks equal to the exercise, but maybe it can be made simpler. Nothing was counted. Put together what belongs together, and try again.
feedback-unclear-not-converted = That may be the right amount, but not in the form that was asked for. Nothing was counted. Which form does the exercise want? Try again.
feedback-unclear-steps = I could not follow your steps: one of them does not fit. Nothing was counted. Check them, or write only the answer, and try again.
feedback-unclear-copied = I could not check that: it reads like the exercise itself. Nothing was counted. Write down what you make of it, and try again.

# What a student is told beside an answer: a drill that is not proved to be ours, one that was graded before, an exercise that
# counted before, and a result that the client had wrong.
notice-drill-token-invalid = This drill can no longer be proved ours, so it does not count: ask for a new one.
notice-drill-already-graded = This drill was graded before; its first verdict holds.
notice-exercise-repeated = This very exercise counted before, so it counts no second time: ask for another.
notice-result-mismatch = What this program thought of the result was wrong; the record holds.

# What staff read of why a turn is as it is: what it is about, then the reasons as clauses, a comma between them.
# { $what }: one of the first; { $reasons }: clauses; { $last }: the last of several; { $unit }, { $target }, { $units }: titles;
# { $tier }: a badge; { $streak }, { $drills }: a clause about drills; { $until }: a time in UTC; the others are numbers.
explain-because = { $what }: { $reasons }
explain-reasons = { $reasons }, and { $last }
explain-unit = { $unit }
explain-units = { $units } and { $last }
explain-more-units = { $count } more
explain-question-allowed = A guiding question is allowed
explain-question-refused = No guiding question
explain-question-wanted = a hint
explain-drill-allowed = A drill is allowed
explain-drill-refused = No drill
explain-drill-wanted = a drill
explain-concept-allowed = A concept card is allowed
explain-concept-refused = No concept card
explain-concept-wanted = a concept card
explain-exam-allowed = An exam question is allowed
explain-exam-refused = No exam question
explain-exam-wanted = an exam question
explain-target = The turn is about { $unit }
explain-focus = The unit to work on is { $unit }
explain-next-unit = The unit to go on with is { $unit }
explain-no-next-unit = No other unit is suggested
explain-nudge = { $unit } should come first
explain-no-nudge = Nothing has to come first
explain-no-evidence-needed = it takes no evidence
explain-unit-to-practise = { $unit } can be practised
explain-stuck = the drills on { $unit } show that the student is stuck ({ $drills })
explain-not-stuck = the drills on { $unit } do not show that the student is stuck ({ $drills })
explain-stuck-by-attempts = { $attempts } graded, { $right } right in a row; stuck is at least { $needed } graded and none right in a row
explain-stuck-by-wrong = { $wrong } wrong in a row; stuck is at least { $needed }
explain-ready = no prerequisite of { $unit } is missing, { $streak }
explain-questions-open =
    { $count ->
        [1] 1 { $tier } question on { $unit } can be taken
       *[other] { $count } { $tier } questions on { $unit } can be taken
    }
explain-asked-for = the button that was pressed asks for it
explain-not-placed = the message could not be placed in the course
explain-entry-unit = { $unit } is only where the course begins
explain-blocked-by = { $unit } comes before { $target }
explain-focus-blocked-by = { $unit } itself needs { $units } first
explain-streak-short = { $streak } on { $unit }
explain-streak-missing =
    { $right ->
        [1] there is 1 right drill in a row of { $needed } needed
       *[other] there are { $right } right drills in a row of { $needed } needed
    }
explain-streak-enough =
    { $right ->
        [1] there is 1 right drill in a row with { $needed } needed
       *[other] there are { $right } right drills in a row with { $needed } needed
    }
explain-no-question = no { $tier } question on { $unit } was found
explain-exam-system-away = the exam system did not answer
explain-locked-until =
    { $count ->
        [1] 1 { $tier } question on { $unit } is locked until { $until }
       *[other] { $count } { $tier } questions on { $unit } are locked, the first until { $until }
    }
explain-locked =
    { $count ->
        [1] 1 { $tier } question on { $unit } is locked for a time that the exam system does not name
       *[other] { $count } { $tier } questions on { $unit } are locked for a time that the exam system does not name
    }
explain-passed =
    { $count ->
        [1] 1 { $tier } question on { $unit } is passed already
       *[other] { $count } { $tier } questions on { $unit } are passed already
    }
explain-unknown =
    { $count ->
        [1] the exam system said nothing of 1 { $tier } question on { $unit }
       *[other] the exam system said nothing of { $count } { $tier } questions on { $unit }
    }
explain-narrowed = the button that was pressed asks for { $wanted } and nothing else
explain-pressed-drill = the button for a drill was pressed on it
explain-pressed-exam = the button for an exam question was pressed on it
explain-pressed-drill-continue = the button to go on after a drill was pressed on it
explain-pressed-exam-continue = the button to go on after an exam question was pressed on it
explain-pressed-hint = the button for a hint was pressed on it
explain-pressed-choose = the button to choose a unit was pressed on it
explain-target-mapped = the message fits it with a confidence of { $confidence }, and { $needed } is enough
explain-target-guessed = the student stands there, and no unit is certain from the message (the best guess is { $unit } with a confidence of { $confidence }, and { $needed } is needed)
explain-target-kept = the student stands there, and no unit is certain from the message
explain-focus-is-target = the turn is about it, and nothing comes before it
explain-focus-is-prerequisite = { $target } needs it first
explain-leads-to-target = it leads to { $target }, which was asked for
explain-no-badge-to-earn = { $unit } has no badge to earn
explain-last-badge = { $unit } has its gold badge
explain-next-badge-closed = no { $tier } question on { $unit } can be taken now
explain-no-badge-yet = { $unit } has no badge yet
explain-next-badge-ahead = { $tier } comes next on { $unit }
explain-no-unit-left = none is left
explain-check-open = an exam question on { $unit } can be asked for, as { $streak }
explain-none-missing = no prerequisite of { $target } is missing

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
# Where the student asks whether it is right, or says that it is done, without an answer. { $button }: what the button says.
teaching-check-3 = Type your answer below the exercise and press “{ $button }”: then you will know.
# Where the student doubts or defends work of their own that nobody has seen, in turn. Each ends with a question mark.
teaching-show-1 = Type the exercise as it stands, and the lines that you have written so far. Which of them are you least sure of?
teaching-show-2 = I cannot see it yet. What does the exercise say, and what did you write below it, line by line?
# Before what comes next, where the whole message is a greeting, thanks, a sign that something is understood, or sad; after a goodbye
# nothing comes.
teaching-greeting = Hello!
teaching-goodbye = Goodbye, see you next time!
teaching-thanks = Any time!
teaching-understood = Good.
teaching-sad = I am sorry that you are having a hard time; it may help to tell somebody you trust, and this here can wait until you are ready.
# The key idea: in a text, and before a card that holds it.
teaching-idea = { $idea } (From: { $source }) How would you say that in your own words?
teaching-idea-card = Here is the idea behind { $unit }. You will find more in your lesson: { $source }.
# The first sentences of a lesson's text that fits the message.
teaching-passage = Your lesson says: { $idea } (From: { $source }) Which part of this helps you here?
# The same before everything else, where the lesson is another unit's than the one to work on.
teaching-quote = Your lesson says: { $idea } (From: { $source })
# Before and after a worked example, and one like the open exercise.
teaching-example = Here is a worked example. Read it line by line.
teaching-example-again = Here is another one that is worked out: which of its lines is new to you?
teaching-example-then = Which line is not clear to you yet?
teaching-sibling = Here is an exercise like yours, with other numbers.
teaching-sibling-again = Here is one more like yours, worked out: which of its steps can you use?
teaching-sibling-then = Which of these steps do you take next in yours?
# After a hint that asks nothing: on what to look at, on the rule, on the next step.
teaching-hint-then-1 = What do you notice?
teaching-hint-then-2 = How does that help you here?
teaching-hint-then-3 = What do you get?
teaching-hint-then-again = What is the next line, then?
# Before the step on a line that the student wrote after a step, be it right or wrong.
teaching-line = I have not checked your line; compare it with the one before, term by term.
# Where an exercise of the student's own is a single operation on whole numbers, for which no step is known.
teaching-plain = Work it out in the way that you know, and check it with the opposite operation. Which number do you get?
# After a value that solves an equation of the student's own, be it right or wrong.
teaching-put-in = Put your value in for the unknown of the equation, and work out each side alone. Do both sides come to the same?
# Where an exercise or an example is asked for, and the topic is not known.
teaching-which-topic = I can set you an exercise or show you an example as soon as I know the topic. Which topic is it to be?
# Before what comes next, where help is asked for after a first step. { $step }: the step, a sentence.
teaching-step-again = The first step stays the same: { $step }
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
teaching-wrong-again-partly = That fits in part, but it is not yet what the exercise asks for. Read it again: what is still to do?
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
teaching-point-bars = What stands above the fraction bars, and what below?
teaching-point-power = What does the exponent say of what stands before it?
teaching-point-signs = Which signs do the numbers have?
teaching-point-put-in = What does it mean that a number is a solution of an equation?
teaching-rule-term = What you do to a side you have to do to the other one, too. Subtracting undoes adding, and adding undoes subtracting.
teaching-rule-factor = What you do to a side you have to do to the other one, too. Dividing undoes multiplying, and multiplying undoes dividing.
teaching-rule-turn = What you do to a side you have to do to the other one, too. When you divide an inequality by a negative number, its sign turns around.
teaching-rule-brackets = Each term in the brackets is multiplied by what stands before them, with its sign.
teaching-rule-power-of-sum = A square is the bracket times itself, and each term of the first is multiplied by each term of the second. A higher power has more such factors.
teaching-rule-like = Only terms with the same letters and the same powers can be put together: you add the numbers before them.
teaching-rule-numbers = Numbers that are added and subtracted can be worked out together, wherever they stand in the sum. In an equation they must stand on the same side.
teaching-rule-root = A square does not tell the sign: a number and its opposite have the same square.
teaching-rule-square-sign = A square is never negative: when you multiply a number by itself, the same signs give plus.
teaching-rule-product = A product vanishes exactly when at least a factor of it does.
teaching-rule-common = What all the terms share can be written before brackets, and in the brackets stands what is left of each.
teaching-rule-pair = When you multiply brackets out that each hold the letter plus a number, the product of the numbers stands at the end, and their sum before the letter.
teaching-rule-order = First come brackets, and what stands above and below a fraction bar, then powers, then products and quotients, then sums and differences.
teaching-rule-left = Products and quotients are worked out one after the other, from left to right.
teaching-rule-denominator = Fractions can be added and subtracted when they have the same denominator. To get there, multiply top and bottom of a fraction by the same number.
teaching-rule-numerators = Fractions with the same denominator count parts of the same size: the numerators are added or subtracted, and the denominator stays.
teaching-rule-bars = Fractions are multiplied top by top and bottom by bottom. A whole number goes with the tops.
teaching-rule-power-of-fraction = A power is a product of the same factor. Fractions are multiplied top by top and bottom by bottom.
teaching-rule-signs-add = With the same signs you add the numbers without them, and keep the sign. With different signs you subtract the smaller from the larger, both without their signs, and take the sign of the number that is larger without its sign.
teaching-rule-opposite = Subtracting a number is the same as adding its opposite.
teaching-rule-signs-multiply = When you multiply or divide, the same signs give plus, and different signs give minus.
teaching-rule-put-in = A number is a solution of an equation exactly when both sides have the same value with it.
teaching-step-add = Add ${ $term }$ to both sides.
teaching-step-subtract = Subtract ${ $term }$ from both sides.
teaching-step-multiply = Multiply both sides by ${ $term }$.
teaching-step-divide = Divide both sides by ${ $term }$.
teaching-step-turn = Divide both sides by ${ $term }$, and turn the sign around.
teaching-step-multiply-out = Multiply the brackets out, and copy the rest as it is.
teaching-step-power-of-sum = Write the power as a product of brackets, and multiply each term of the first by each term of the second.
teaching-step-put-together = Put the like terms together, before you do anything else.
teaching-step-numbers = Work out the numbers, and copy the rest as it is.
teaching-step-root = Take the square root of both sides, and think of both signs.
teaching-step-square-sign = Compare the sign of a square with the sign of the number on the other side. What does that say about the solutions?
teaching-step-product-zero = Take the factors apart: let each of them vanish, and solve for the unknown.
teaching-step-take-out = Write what the terms share before brackets, and what is left of each into them.
teaching-step-pair = List the pairs of numbers whose product is the number without a letter, and look for the pair with the right sum.
teaching-step-brackets = Work out what stands in the brackets, and copy the rest as it is.
teaching-step-powers = Write the power as a product, work that out, and copy the rest as it is.
teaching-step-products = Work out the product or quotient, and copy the rest as it is.
teaching-step-left = Work out what stands at the very left, and copy the rest as it is.
teaching-step-denominator = Find a number that all the denominators divide, and write the fractions with it.
teaching-step-numerators = Work out the numerators, and keep the denominator.
teaching-step-bars = Write a single fraction, with the product of the tops above the bar and the product of the bottoms below it.
teaching-step-power-of-fraction = Write the power as a product of fractions, and multiply them.
teaching-step-compare-signs = Compare the signs, and decide whether you add or subtract.
teaching-step-opposite = Write the difference as a sum with the opposite of what is subtracted.
teaching-step-sign-first = Decide on the sign, and then work out the rest without signs.
teaching-step-put-in = Put the number in for the unknown on both sides, and work out each side alone.
# Words by which students say that they are stuck, apart by |. A message that holds such a run of words asks for help.
stuck-words = i don't know | i dont know | idk | dunno | no idea | no clue | i can't | i cant | i cannot | i give up | too hard | too difficult | confused | lost me | i'm lost | im lost | i am lost | i'm stuck | im stuck | i am stuck | still don't get it | still dont get it | tell me the answer | give me the answer | show me the answer | what's the answer | whats the answer | what is the answer | tell me the solution | give me the solution | just tell me | say the answer | reveal the answer | have the answer | want the answer | show me the solution | what is the solution | what's the solution | whats the solution | tell me the result | do it for me | do this for me | stuck | stuck here
# What a whole message names that asks for the answer, and has nothing else in it but filler-words, apart by |.
answer-words = the solution | solution | solutions | the answer | answer | answers | the result | result
# Phrases of which a whole message is made that is about work of the student's own, be it right or wrong, apart by |. The last
# ones may stand beside them, as filler-words may, and say nothing alone. With any other word it is no such message: somebody
# may tell what is done to them.
own-work-words = my answer | my solution | my result | my work | my strategy | my method | the strategy is right | is it right | is this right | is that right | is it correct | is this correct | is that correct | am i right | am i correct | am i wrong | i'm right | im right | i am right | i was right | i'm correct | im correct | i am correct | is it wrong | is this wrong | is that wrong | it's wrong | its wrong | it is wrong | it was wrong | that's wrong | thats wrong | i got it wrong | i got it right | i did it wrong | i did it right | did i do it right | did i do this right | did i get it right | check my | was that right | was that correct | was it right | did i get that right | is that all
own-work-filler-words = think | i think | i think that | i believe | i believe that | i guess | i mean | i know | you know | you know it | i still think | i really think | really | still | definitely | the | it | it's | its | is | was | are | way | the way i did it | how i did it | strategy | method | answer | answers | solution | result | work | working | steps | calculation | homework | exercise | equation | correct | right | wrong | incorrect | works | worked | sure | unsure | not sure | i'm | im | i am | i was | not | but | though | because | maybe | probably | too | also | just | or | do | did | how | how do i know | not sure if | tell me | tell me if | i don't know if | i dont know if | can you | could you | check | what are you saying | what do you mean
# Words by which students ask for an exercise, and for a worked example, apart by |. A message that holds such a run of words
# asks for one.
exercise-words = give me an exercise | give me another exercise | give me exercises | give me some exercises | give me a drill | give me another drill | give me a problem | give me another problem | give me a question | give me another question | give me a task | give me another task | give me another one | set me an exercise | i want an exercise | i want another exercise | i need an exercise | i'd like an exercise | i would like an exercise | can i get an exercise | can i have an exercise | can i get another one | can i have another one | can i do an exercise | can i do exercises | do some exercises | an exercise please | an exercise on | an exercise about | exercises on | exercises about | an easier one | a harder one | an easier exercise | a harder exercise | an easier question | a harder question | something easier | something harder | quiz me | drill me | test me on | let me practise | let me practice | can i practise | can i practice | want to practise | want to practice | exercise on | exercise about | one to try | let me try one
example-words = show me an example | show me another example | give me an example | give me another example | see an example | see another example | an example please | another example please | i need an example | i want an example | do you have an example
# Phrases of which a whole message is made that asks for a worked example, apart by |.
show-words = example | an example | another example | one more example | show me | show me how | can you show me | can you just show me | just show me
# Phrases of which a whole message is made that asks for an exercise, apart by |. The other lists may stand beside them.
next-words = next one | next exercise | next question | next problem | next task | skip | skip it | skip this | skip that | skip this one | skip this exercise | skip this unit | another | another one | one more | another exercise | another problem | another question | another drill | exercise | an exercise | a drill | drill | practise | practice | test me | let me try | can i try | my turn | easier | harder
# The same where the student is to go on with what leads to the target: then it asks for no exercise.
go-on-words = next | what next | what's next | whats next | what is next | what now | now what | what do i do now | what should i do now | go on
# Words by which students ask for a reason, apart by |. A message that holds such a run of words asks for one.
why-words = why | how come | the reason
# Phrases of which a whole message is made that greets, says goodbye, thanks, or says that something is understood, apart by |. The
# last ones may stand beside them and say nothing alone.
greeting-words = hi | hello | hey | hi there | hello there | hey there | hiya | good morning | good afternoon | good evening | how are you | what's up | whats up
goodbye-words = bye | goodbye | good bye | bye bye | see you | see ya | cya | good night | gotta go | i gotta go | got to go | i got to go | have to go | i have to go | need to go | i need to go | i must go | have to leave | i have to leave | need to leave | i need to leave | gotta leave | i gotta leave | got to leave | i got to leave | i must leave | gotta get off | i gotta get off | got to get off | i got to get off | have to get off | i have to get off | need to get off | i need to get off | gtg | g2g | can i go | may i go | can i leave | can i stop | i'm leaving | that's all for today | no more exercises | no more questions | no more problems | no more drills | no more tasks | no more for today | i don't want any more exercises | i dont want any more exercises | i don't want more exercises | i want no more exercises | enough exercises | enough for today
thanks-words = thanks | thank you | thx | ty | cheers
understood-words = ok | okay | k | alright | all right | understood | i understand | i understand it | i understand that | i see | i get it | i get that | got it | i got it | makes sense | that makes sense | it makes sense | cool | great | nice | good | perfect
filler-words = yes | go | yeah | yep | oh | ah | um | well | so | and | now | then | please | today | tomorrow | later | you | very much | a lot | so much | again | very | much | for everything | for all | for your help | for all your help | for the help | for helping | for helping me | for today
# Phrases of which a whole message is made that says that the student is sad or has lost somebody, apart by |. The last ones
# may stand beside them, as greetings and the other words above may, and say nothing alone.
sad-words = sad | unhappy | upset | heartbroken | heart broken | miserable | devastated | grieving | crying | cry | cried | tears | in tears | died | passed away | lonely | awful | terrible | horrible | is dying | is dead | has died | i feel down | i'm feeling down | im feeling down | i am feeling down | feeling down | i feel bad | i feel so bad | i feel really bad | not ok | not okay | not feeling well | not feeling good | bad day | worst day | horrible day | terrible day | hard day | broke up with me | left us | getting divorced | getting a divorce | are divorcing | splitting up | i lost my | we lost our
sad-filler-words = i'm | im | i am | i was | i feel | feel | feeling | i've been | ive been | i have been | i'm feeling | im feeling | i am feeling | i feel like | i want to | i wanna | i could | i have to | i need to | i keep | i can't stop | i cant stop | i cannot stop | i had | i'm having | im having | i am having | having | it's | its | it is | a | the | in | is | are | has | was | been | just | really | right now | at the moment | all day | all the time | all night | every day | every night | yesterday | last night | last week | this morning | this week | little | bit | a bit | a little | kind of | kinda | too | also | but | because | bc | cause | cuz | when | since | today | my | our | grandma | granma | grandmother | gran | granny | nan | nana | nanny | grandpa | grandad | granddad | grandfather | gramps | mum | mom | mother | dad | father | parents | brother | sister | uncle | aunt | auntie | cousin | friend | best friend | boyfriend | girlfriend | teacher | dog | puppy | cat | kitten | hamster | rabbit | guinea pig | bird | horse | pet | i can't focus | i cant focus | i cannot focus | can't focus | cant focus | i can't concentrate | i cant concentrate | i cannot concentrate | can't concentrate | cant concentrate | i can't think | i cant think
