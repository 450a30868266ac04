// Made from the protos by `UPDATE_DOCS=1 cargo test -p turnwise-proto`: the events of a thread in JSON.
// 64-bit numbers are strings, times are RFC 3339, bytes are base64. A field may be missing: then it is empty.

/** ButtonCall is what a client does when a button is pressed. */
export type ButtonCall =
  | "BUTTON_CALL_UNSPECIFIED"
  | "BUTTON_CALL_TURN"
  | "BUTTON_CALL_GRADE_DRILL"
  | "BUTTON_CALL_SUBMIT_EXAM"
  | "BUTTON_CALL_VIEW_MEMO"
  | "BUTTON_CALL_VIEW_VIDEO"
  | "BUTTON_CALL_COMPOSE";

/** ClientEventKind is a button that the student pressed. A button does what it says; none of them is evidence. */
export type ClientEventKind =
  | "CLIENT_EVENT_KIND_UNSPECIFIED"
  | "CLIENT_EVENT_KIND_REQUEST_DRILL"
  | "CLIENT_EVENT_KIND_REQUEST_EXAM"
  | "CLIENT_EVENT_KIND_DRILL_CONTINUE"
  | "CLIENT_EVENT_KIND_EXAM_CONTINUE"
  | "CLIENT_EVENT_KIND_STUCK_HINT"
  | "CLIENT_EVENT_KIND_CLARIFICATION_SKIP"
  | "CLIENT_EVENT_KIND_CLARIFICATION_CANCEL"
  | "CLIENT_EVENT_KIND_CLARIFICATION_CORRECT"
  | "CLIENT_EVENT_KIND_CHOOSE_UNIT";

/** ContextRequestState says how far a request is. */
export type ContextRequestState =
  | "CONTEXT_REQUEST_STATE_UNSPECIFIED"
  | "CONTEXT_REQUEST_STATE_OPEN"
  | "CONTEXT_REQUEST_STATE_SATISFIED"
  | "CONTEXT_REQUEST_STATE_FORCED"
  | "CONTEXT_REQUEST_STATE_EXPIRED"
  | "CONTEXT_REQUEST_STATE_CANCELLED"
  | "CONTEXT_REQUEST_STATE_SKIPPED";

/** DrillResult is how a drill went. */
export type DrillResult =
  | "DRILL_RESULT_UNSPECIFIED"
  | "DRILL_RESULT_CORRECT"
  | "DRILL_RESULT_INCORRECT";

/** ExamResult is how an answer to an exam question went. */
export type ExamResult =
  | "EXAM_RESULT_UNSPECIFIED"
  | "EXAM_RESULT_PASSED"
  | "EXAM_RESULT_LOCKED";

/** MasteryTier is how well a unit is known, and how hard an exam question is. The order is part of the contract. */
export type MasteryTier =
  | "MASTERY_TIER_UNSPECIFIED"
  | "MASTERY_TIER_NONE"
  | "MASTERY_TIER_BRONZE"
  | "MASTERY_TIER_SILVER"
  | "MASTERY_TIER_GOLD";

/** QuestionState is whether a question may be attempted. */
export type QuestionState =
  | "QUESTION_STATE_UNSPECIFIED"
  | "QUESTION_STATE_AVAILABLE"
  | "QUESTION_STATE_LOCKED"
  | "QUESTION_STATE_PASSED";

/** Role says who speaks. */
export type Role =
  | "ROLE_UNSPECIFIED"
  | "ROLE_USER"
  | "ROLE_ASSISTANT";

/** TurnStage is how far a turn is. */
export type TurnStage =
  | "TURN_STAGE_UNSPECIFIED"
  | "TURN_STAGE_READING"
  | "TURN_STAGE_WAITING"
  | "TURN_STAGE_WRITING"
  | "TURN_STAGE_CHECKING";

/** Button is an action that the student may take now: what a press does, and the key of its label. A client needs no rule of its own. */
export interface Button {
  /** label_key is what a client looks its wording up by. Below a message: `choose_unit`, `take_exam`, `check_prerequisite`, `next_unit`, `try_drill`, `ask_hint`, and before them `check_typed` where the message reads as the answer to the open drill; below a question of a clarification: `skip_questions`, `cancel_questions`, `correct_answer`. On cards: `try_drill`, `ask_follow_up`; `check_answer`, `ask_hint`; `submit_answer`, `view_memo`, `view_video`. With a result: `continue`, `try_another`. */
  labelKey?: string;
  /** event is what a press sends with the next turn; only with BUTTON_CALL_TURN. */
  event?: ClientEvent;
  /** primary is true for exactly one button of an answer: of a message and its card together, or of a result. */
  primary?: boolean;
  /** call is what a press does. */
  call?: ButtonCall;
  /** unit_title is the title of the event's unit, where the wording needs it: with `choose_unit` and `next_unit`. */
  unitTitle?: string;
  /** typed_answer is what GradeDrill gets as the answer, as it is; only with `check_typed`. */
  typedAnswer?: StudentInput;
  /** card_token is the token of the drill that a press grades, which stands on an earlier card of the thread; only with `check_typed`. */
  cardToken?: string;
  /** label is what the button says, in the course's language and wording. With unit_title or typed_answer a client shows that behind it. */
  label?: string;
}

/** ClientEvent is a pressed button and the unit that it stands on. */
export interface ClientEvent {
  /** kind is the button. Unspecified: no button. */
  kind?: ClientEventKind;
  /** unit_id is the unit of the card or button; required with every kind but unspecified and those of a clarification, and empty with these. An unknown unit is refused with UNKNOWN_UNIT. */
  unitId?: string;
  /** drill_result is how the drill went, as the client has it; only with DRILL_CONTINUE. It is compared with the record and never believed: where they differ, the answer has the notice RESULT_MISMATCH and the record holds. */
  drillResult?: DrillResult;
  /** question_id is the exam question that the client comes from, only with EXAM_CONTINUE; or the entry of the revisit queue that is to be opened and no other, only with REQUEST_EXAM, as the entry's button has it. */
  questionId?: string;
  /** exam_result is how the exam question went, as the client has it; only with EXAM_CONTINUE, and believed as little. */
  examResult?: ExamResult;
  /** question_index is the question to go back to, from 0; only with CLARIFICATION_CORRECT, and one that was answered. */
  questionIndex?: number;
  /** card_token is the token of the drill that the button stands on; only with STUCK_HINT, as the button has it. The hint is then about that drill. One that no drill of this unit in the thread's latest 50 messages has is not used: the answer has the notice DRILL_TOKEN_INVALID, and the hint is about the unit. */
  cardToken?: string;
}

/** ConceptCard explains one idea. */
export interface ConceptCard {
  /** key_ideas are one to three short sentences. */
  keyIdeas?: string[];
  /** worked_example is an example with its solution; absent where there is none. */
  workedExample?: WorkedExample;
}

/** ContextReminder reminds of a request. */
export interface ContextReminder {
  /** request_id is the request. */
  requestId?: string;
}

/** ContextRequest is what a message waits for, or has waited for. */
export interface ContextRequest {
  /** request_id is a UUID. */
  requestId?: string;
  /** thread_id is the thread. */
  threadId?: string;
  /** user_message_id is the message, by its id in the timeline. */
  userMessageId?: string;
  /** batch_id is the project's; the thread's own id where there is none. */
  batchId?: string;
  /** state says how far it is, or how it ended. */
  state?: ContextRequestState;
  /** answered is true once the message was answered. */
  answered?: boolean;
  /** required is what is asked for. */
  required?: RequiredContext[];
  /** supplied is what was supplied so far, by slot. */
  supplied?: SuppliedContext[];
  /** must_have is true where the message is not answered without. */
  mustHave?: boolean;
  /** reminder_time is when a reminder is due. */
  reminderTime?: string;
  /** end_time is when its time is over. */
  endTime?: string;
  /** create_time is when it was opened. */
  createTime?: string;
  /** turn_id is the turn that answered the message; empty before. */
  turnId?: string;
}

/** ContextResolved tells that a request is open no more. */
export interface ContextResolved {
  /** request_id is the request. */
  requestId?: string;
  /** state is how it ended. */
  state?: ContextRequestState;
}

/** ContextUpdate tells of something that was supplied. */
export interface ContextUpdate {
  /** request_id is the request. */
  requestId?: string;
  /** slot is the slot's place. */
  slot?: number;
  /** supplier_role is what the supplier is. */
  supplierRole?: string;
  /** size_bytes is how long it is. */
  sizeBytes?: number;
}

/** DrillCard is an exercise of one or two steps, made for this reply and stored nowhere else. */
export interface DrillCard {
  /** prompt says what to do. */
  prompt?: string;
  /** question_latex is the exercise. */
  questionLatex?: string;
  /** drill_token proves that this drill was set for this student here; GradeDrill wants it back, with the unit, the prompt and the exercise as they stand here. It is good for one grade and for DRILL_TOKEN_TTL_SECONDS. */
  drillToken?: string;
}

/** ExamCard is a question of the exam catalogue, without its answer. */
export interface ExamCard {
  /** question_id names the question in the catalogue. */
  questionId?: string;
  /** tier is how hard it is. */
  tier?: MasteryTier;
  /** prompt says what to do. */
  prompt?: string;
  /** question_latex is the exercise; empty where the prompt says it all. */
  questionLatex?: string;
  /** options are the answers to choose from, in the catalogue's order. Empty: the answer is typed. */
  options?: ExamOption[];
  /** state is whether the question may be attempted, as the exam system said last. A locked one is shown with its countdown and cannot be answered. */
  state?: QuestionState;
  /** locked_until is when the lock ends, as the exam system says; only with a locked one, absent where that is not known. */
  lockedUntil?: string;
  /** offer_token proves that this question was offered to this student here; SubmitExamAnswer, RecordSupportView and GetExamQuestion want it back. It is good for DRILL_TOKEN_TTL_SECONDS; who is later asks for the exam again. */
  offerToken?: string;
}

/** ExamOption is one answer to choose from. */
export interface ExamOption {
  /** option_id names the option in its question. */
  optionId?: string;
  /** text is what it says. */
  text?: string;
}

/** MessageDelta is a piece of a message. */
export interface MessageDelta {
  /** message_id is the message's. */
  messageId?: string;
  /** text is the next piece. */
  text?: string;
}

/** MessageStage is how far a message is. */
export interface MessageStage {
  /** user_message_id is the student's message. */
  userMessageId?: string;
  /** stage is what happens now. */
  stage?: TurnStage;
}

/** RequiredContext is one thing that is asked for. */
export interface RequiredContext {
  /** slot is its place in the request, from 0. */
  slot?: number;
  /** phase is the step of the project; may be empty. */
  phase?: string;
  /** artifact_type is what it is, an id of the course's. */
  artifactType?: string;
  /** key_path is the part of it; empty: the whole. */
  keyPath?: string;
  /** size_limit is the most bytes of it. */
  sizeLimit?: number;
  /** urgency is must_have or nice_to_have. */
  urgency?: string;
  /** optional is true where the message is answered without it. */
  optional?: boolean;
  /** suppliers are the roles that may supply it: of student, teacher, staff, service. */
  suppliers?: string[];
  /** title is what people read. */
  title?: string;
  /** description says what it should hold. */
  description?: string;
  /** why says why it is asked for. */
  why?: string;
  /** format is json, text, code or log. */
  format?: string;
}

/** StudentInput is what the student says. With no client event, exactly one of text and latex is set; with one, at most one of them. */
export interface StudentInput {
  /** text is plain text, at most MESSAGE_MAX_CHARS characters; no control characters but tab and line breaks. */
  text?: string;
  /** latex is mathematics, under the same bounds. */
  latex?: string;
  /** voice_transcript is what a recogniser heard, beside text or latex; under the same bounds. Empty: typed. */
  voiceTranscript?: string;
}

/** SuppliedContext says what was supplied for a slot, without the content. */
export interface SuppliedContext {
  /** slot is the slot's place. */
  slot?: number;
  /** size_bytes is how long it is, redacted. */
  sizeBytes?: number;
  /** supplier_role is what the supplier is: student, teacher, staff or service. */
  supplierRole?: string;
  /** supply_time is when. */
  supplyTime?: string;
}

/** TutorCard is an explanation, a drill or an exam question. */
export interface TutorCard {
  /** unit_id is the unit that the card is about. */
  unitId?: string;
  /** concept explains. */
  concept?: ConceptCard;
  /** drill sets a short exercise. */
  drill?: DrillCard;
  /** exam shows a question of the exam catalogue. */
  exam?: ExamCard;
  /** buttons stand on the card, the primary one first. On a drill or an exam question they are there before it is answered; those for afterwards come with the result. */
  buttons?: Button[];
}

/** TutorMessage is one entry of a thread's timeline. */
export interface TutorMessage {
  /** id orders the messages of a thread: 1, 2, 3, … without gaps. */
  id?: string;
  /** thread_id is the thread that the message belongs to. */
  threadId?: string;
  /** role says who speaks. */
  role?: Role;
  /** text is plain text; empty where the student sent LaTeX or pressed a button. Redacted before it is stored. */
  text?: string;
  /** latex is the student's LaTeX; empty where there is none. */
  latex?: string;
  /** card is what stands below the text; absent where there is none. */
  card?: TutorCard;
  /** create_time is when the turn was committed. */
  createTime?: string;
  /** event is the button that the student pressed; absent where there is none, and on the tutor's messages. */
  event?: ClientEvent;
  /** buttons are the actions that are allowed after this message, the primary one first. Only on the tutor's messages. */
  buttons?: Button[];
}

/** WatchThreadResponse is one event. Events of kinds that a client does not know are to be passed over. */
export interface WatchThreadResponse {
  /** event_id rises; a piece of a message has the id of the event before its message, so that a reader who resumes gets the whole message. */
  eventId?: string;
  /** create_time is when it happened. */
  createTime?: string;
  /** message is an entry of the timeline. */
  message?: TutorMessage;
  /** delta is a piece of the tutor's next message, which was validated before; the message itself follows. */
  delta?: MessageDelta;
  /** stage is how far a message is that is answered later. */
  stage?: MessageStage;
  /** context_request is a new request, as it is now. */
  contextRequest?: ContextRequest;
  /** reminder is a request whose half time is over. */
  reminder?: ContextReminder;
  /** update is something that was supplied. */
  update?: ContextUpdate;
  /** resolved is a request that is open no more. */
  resolved?: ContextResolved;
}

/** WorkedExample is a problem, the way and the answer. */
export interface WorkedExample {
  /** problem_latex is the problem. */
  problemLatex?: string;
  /** final_answer_latex is its answer. */
  finalAnswerLatex?: string;
  /** steps_latex are the steps between, in order. Empty: the answer needs none. */
  stepsLatex?: string[];
}
