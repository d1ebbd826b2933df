import type { EventType } from "@lango/contracts";
import Type, { type TInteger, type TObject, type TString } from "typebox";

/** The event of this bench: about 500 bytes with its envelope. */
export const thingMade: EventType<TObject<{ n: TInteger; note: TString }>> = {
	type: "bench.thing.made",
	source: "/bench",
	subject: "thing",
	because: "a thing was made, to be measured",
	data: Type.Object({ n: Type.Integer(), note: Type.String() }),
};
