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

/** What differs; `duplicate`: one payment was counted twice; `missing_there`: the gateway says nothing. */
export const exceptionClasses = ["amount", "currency", "duplicate", "missing_there"] as const;

export type ExceptionClass = (typeof exceptionClasses)[number];
export type ExceptionState = "open" | "closed";
