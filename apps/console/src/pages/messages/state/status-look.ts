const done: readonly string[] = ["sent", "delivered", "read"];
const failed: readonly string[] = ["failed", "undelivered", "bounced", "dead"];
const open: readonly string[] = ["queued", "sending", "digested"];

/** The look of the badge of a delivery's state. */
export function lookOf(status: string): "done" | "error" | "plain" | "warning" {
	if (done.includes(status)) return "done";
	if (failed.includes(status)) return "error";
	return open.includes(status) ? "plain" : "warning";
}
