export { ClientError } from "./calls/client-error.ts";
export { type Explanation, explainError } from "./calls/explain-error.ts";
export { listItems, listPage, type Page } from "./calls/list-items.ts";
export { type CallOptions, type Request, sendRequest } from "./calls/send-request.ts";
export { createTraceHeaders } from "./calls/trace-headers.ts";
export { type Client, createClient } from "./client.ts";
export { decidePage, mayDo, type PageRequirements, type Verdict } from "./decide-page.ts";
export {
	type ClientConfig,
	type ClientOptions,
	type Locks,
	resolveConfig,
	type ServiceOptions,
	type TabChannel,
} from "./options/options.ts";
export { type ClientStorage, memoryStorage, tabStorage, webStorage } from "./options/storage.ts";
export { isInScope, type OutletScope } from "./outlets/outlet-scope.ts";
export type { OutletState } from "./outlets/select-outlet.ts";
export type { Membership, Profile } from "./profile/profile.ts";
export { createIdempotencyKey } from "./session/call.ts";
export { type ClientState, isOutletOfSession, type Ready } from "./session/client-state.ts";
export type { StreamEvent } from "./streams/event-parser.ts";
export type { StreamOptions } from "./streams/open-stream.ts";
export { hasProduct, judgeSubscription, type SubscriptionState } from "./subscription/subscription.ts";
export type { SignInOptions } from "./tokens/code-flow.ts";
export { resume } from "./tokens/resume.ts";
export { type Exchange, readExchange, readTokens, type TokenResponse, type Tokens } from "./tokens/tokens.ts";
export { watchPage } from "./watch-page.ts";
