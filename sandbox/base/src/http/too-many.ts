/** A limit of the sandbox is reached: it keeps too much, or too many callers wait or listen at once. */
export class TooMany extends Error {
	override name = "TooMany";
}
