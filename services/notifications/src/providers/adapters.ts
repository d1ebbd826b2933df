import type { TSchema } from "typebox";
import type { Adapter } from "../provider.ts";
import { africastalking } from "./adapters/africastalking.ts";
import { fcm } from "./adapters/fcm.ts";
import { postmark } from "./adapters/postmark.ts";
import { smtp } from "./adapters/smtp.ts";
import { twilio } from "./adapters/twilio.ts";
import { whatsappCloud } from "./adapters/whatsapp-cloud.ts";

/** An adapter whatever its credentials and its connection: both come from the same account. */
export type AnyAdapter = Adapter<TSchema, unknown>;

/** Every kind of provider. */
const adapters: readonly AnyAdapter[] = [smtp, postmark, africastalking, twilio, fcm, whatsappCloud];

/** Returns the adapter of a kind; undefined if the kind is unknown. */
export const findAdapter = (kind: string): AnyAdapter | undefined =>
	adapters.find((adapter) => adapter.kind === kind);
