import { parked, type Reading, unreadable } from "../../../inbox/reading.ts";
import { readDispute, readEnd } from "../read-dispute.ts";

/** Returns the reader of an event about a dispute; without a status, of one that is resolved. */
export const readDisputeEvent =
	(status: "open" | "reminded" | undefined) =>
	(data: unknown): Reading => {
		const said = status ?? readEnd(data);
		if (said === undefined) return parked("the gateway does not say in whose favour the dispute ended");
		const stated = readDispute(data, said);
		if (stated === undefined) return unreadable;
		const { gatewayId } = stated.dispute;
		return { kind: "dispute", event: { ...stated, eventKey: `charge.dispute|${gatewayId}|${said}` } };
	};
