/**
 * Recipients that behave in a special way without any rule.
 *
 * | e-mail | phone | what happens |
 * |---|---|---|
 * | `bounce@sandbox.example` | ends in 0001 | the address does not exist |
 * | `complaint@sandbox.example` | ends in 0002 | it is reported as spam; a phone has opted out |
 * | `slow@sandbox.example` | ends in 0003 | the answer comes late |
 * | `temporary@sandbox.example` | ends in 0004 | refused for the moment |
 *
 * By SMTP no complaint follows, because it has no reports. A device token that begins with
 * `unregistered-` is not registered.
 */
export type Special = "bounce" | "complaint" | "slow" | "temporary" | "unregistered";

const mailboxes: Readonly<Record<string, Special>> = {
	bounce: "bounce",
	complaint: "complaint",
	slow: "slow",
	temporary: "temporary",
};
const endings: Readonly<Record<string, Special>> = {
	"0001": "bounce",
	"0002": "complaint",
	"0003": "slow",
	"0004": "temporary",
};

/** How the address behaves, or undefined: normally. */
export function specialOf(address: string): Special | undefined {
	if (address.startsWith("unregistered-")) return "unregistered";
	const [mailbox = "", domain] = address.toLowerCase().split("@");
	if (domain === "sandbox.example") return mailboxes[mailbox];
	return /^(?:whatsapp:)?\+?\d{8,15}$/.test(address) ? endings[address.slice(-4)] : undefined;
}
