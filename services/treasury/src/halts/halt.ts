/**
 * What a halt stops: nothing new is sent. What arrives is counted, and open objects are still found out.
 */
export type HaltScope = "collections" | "payouts" | "refunds";

/** A kill switch of the operator, for every tenant or for one. */
export type Halt = {
	scope: HaltScope;
	/** Undefined: every tenant. */
	tenantId: string | undefined;
	because: string;
	setBy: string;
	setAt: Date;
};
