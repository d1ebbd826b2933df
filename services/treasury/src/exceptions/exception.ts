/** Two sources that disagree about money, or a state that a person has to look at. */
export type Exception = {
	id: string;
	class: ExceptionClass;
	/** What it is about: one exception of each class. */
	subject: string;
	amountMinor: bigint;
	currency: string;
	/** What the treasury has recorded, and what the gateway says. */
	ours: object;
	theirs: object;
	state: ExceptionState;
	raisedAt: Date;
};

/** What differs. */
export type ExceptionClass = "amount" | "currency";
export type ExceptionState = "open" | "closed";
