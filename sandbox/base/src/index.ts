export {
	createDeliveries,
	type Deliveries,
	type Delivery,
	type Planned,
} from "./deliveries/deliveries.ts";
export { postWebhook, type WebhookRequest } from "./deliveries/post-webhook.ts";
export { type FaultWords, installFaults } from "./faults/faults.routes.ts";
export { createFaults, type FaultRule, type Faults } from "./faults/faults.ts";
export { buildSandboxApp, listen } from "./http/app.ts";
export { guardControl, installClock } from "./http/control.ts";
export { installDocs } from "./http/docs.ts";
export { createListeners, type Listeners } from "./http/listeners.ts";
export { installPage } from "./http/page.ts";
export { readBasic } from "./http/read-basic.ts";
export { openStream } from "./http/stream.ts";
export { TooMany } from "./http/too-many.ts";
export { portOf, runProgram } from "./program/program.ts";
export { type AppendFile, openAppendFile } from "./record/append-file.ts";
export { createIds, type Ids } from "./record/ids.ts";
export { openRows, type Rows, type Table } from "./record/rows.ts";
export { type Agenda, createAgenda } from "./time/agenda.ts";
export { type Clock, createClock } from "./time/clock.ts";
