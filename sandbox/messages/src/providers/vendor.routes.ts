import type { FastifyInstance } from "fastify";
import type { Sandbox } from "../sandbox.ts";
import { africastalking } from "./africastalking.ts";
import { fcm } from "./fcm.ts";
import { postmark } from "./postmark.ts";
import { isDownAnswer, readBody, receiveMessage, sendAnswer, toVendorRequest } from "./receive-message.ts";
import { twilio } from "./twilio.ts";
import type { Vendor } from "./vendor.ts";
import { whatsappCloud } from "./whatsapp-cloud.ts";

const vendors: readonly Vendor[] = [africastalking, twilio, postmark, fcm, whatsappCloud];

/** Serves each imitated API below `/<kind>`. */
export function installVendors(app: FastifyInstance, sandbox: Sandbox): void {
	for (const vendor of vendors)
		void app.register((scope, _options, done) => {
			installVendor(scope, sandbox, vendor);
			done();
		});
}

/** Bodies are left unread, because rules may end a request before. */
function installVendor(scope: FastifyInstance, sandbox: Sandbox, vendor: Vendor): void {
	const base = `/${vendor.kind}`;
	scope.removeAllContentTypeParsers();
	scope.addContentTypeParser("*", (_request, _payload, done) => done(null));
	scope.post(`${base}${vendor.send}`, (request, reply) =>
		receiveMessage(sandbox, vendor, { request, reply }),
	);
	for (const { method, path, answer } of vendor.others)
		scope.route({
			method,
			url: `${base}${path}`,
			handler: async (request, reply) => {
				if (sandbox.faults.isDown(vendor.kind)) return sendAnswer(reply, isDownAnswer);
				const body = await readBody(request.raw);
				return sendAnswer(reply, answer(toVendorRequest(request, body), sandbox));
			},
		});
}
