export { pageOfAudit, ServiceAuditQuery } from "./domain/access/audit-page.ts";
export { listIn } from "./domain/access/list-in.ts";
export { requireRight, rightsOf } from "./domain/access/own-rights.ts";
export { everyone, type FirstRole } from "./domain/assembly/declaration.ts";
export { type Domain, domainMigrations } from "./domain/assembly/domain.ts";
export { outletIn, requireOutlet } from "./domain/assembly/stored-outlet.ts";
export { type ConfigEntry, findConfig, listConfig } from "./domain/config/config.store.ts";
export { type DomainServiceTable, defineDomainService } from "./domain/define-domain-service.ts";
export { carries, isCustomer, limitReached } from "./domain/steps/authorize.ts";
export { subscribeEntitlements } from "./events/subscribe-entitlements.ts";
export { subscribeRevocations } from "./events/subscribe-revocations.ts";
export { type SubscriptionContext, subscribeWithReplay } from "./events/subscribe-with-replay.ts";
export { deadJobRoutes } from "./failed-work/dead-job.routes.ts";
export { deadLetterRoutes } from "./failed-work/dead-letter.routes.ts";
export {
	discardRefused,
	type FailedWork,
	type PlatformAction,
	redriveDeadJobAudited,
	republishSince,
	resolveDeadLetter,
	resolveDeadLetters,
} from "./failed-work/failed-work.ts";
export { type EventStream, openEventStream, type StreamEvent } from "./http/event-stream.ts";
export { explainedKeywords } from "./http/input-problem.ts";
export { compileSchemas } from "./http/validation.ts";
export { openSharedCounts, type SharedCounts, type SharedCountsOptions } from "./limits/shared-counts.ts";
export { type TenantSlots, takeTenantSlot } from "./limits/tenant-slots.ts";
export {
	histogram,
	type Instrument,
	type InstrumentName,
	instruments,
	observe,
	prometheusNameOf,
	prometheusWord,
} from "./observe/instruments.ts";
export { createLog, type Logger } from "./observe/observe.ts";
export { actorOf, originOf } from "./request/actor.ts";
export {
	type AuthenticateOptions,
	authenticateWith,
	insufficientScope,
	type OwnTokens,
	type StoredApiKey,
} from "./request/authenticate.ts";
export {
	bearerOf,
	type Call,
	type Caller,
	callerOf,
	callOf,
	limitOf,
	type Owner,
	outletFor,
	outletsOf,
	ownerOf,
	requireInScope,
	scopeOf,
	tenantOf,
	type UserCaller,
} from "./request/call.ts";
export { entityTagOf, namesEntityTag } from "./request/entity-tag.ts";
export {
	chassisFailures,
	defineFailures,
	Failure,
	type FailureDetail,
	type FailureKind,
	type FailureTable,
	failureStatus,
	failureTableOf,
} from "./request/failure.ts";
export { preferredLanguage } from "./request/language.ts";
export { keyRequired } from "./request/name-credential.ts";
export { networkOf } from "./request/network.ts";
export {
	numberForm,
	type Place,
	pageBy,
	pageOf,
	readCursor,
	readKey,
	textForm,
	timeForm,
	uuidForm,
} from "./request/paging.ts";
export {
	type Access,
	addressOf,
	apiKey,
	both,
	canonical,
	everything,
	guarded,
	mutations,
	open,
	type Pipeline,
	permit,
	platformOwner,
	type Route,
	type RouteRules,
	route,
	rulesOf,
	type Step,
	signedIn,
	type TenantWide,
	tenantWide,
	under,
} from "./request/route.ts";
export { totalOf } from "./request/total.store.ts";
export {
	type Context,
	defineService,
	platformSettings,
	type ServiceDefinition,
	settingsOf,
} from "./service.ts";
export { isDevelopment } from "./settings/development.ts";
export {
	type AcceptedKey,
	acceptedKeys,
	keyEncryptionKeys,
	keysPage,
	platformKey,
	replacedSetting,
	serviceKey,
} from "./settings/service-keys.ts";
export {
	defineSettings,
	type Environment,
	flag,
	integer,
	list,
	oneOf,
	readSettings,
	Secret,
	type Setting,
	SettingsError,
	type SettingsOf,
	secret,
	text,
	url,
	variableOf,
} from "./settings/settings.ts";
export { runService } from "./start/run.ts";
export {
	type BuiltService,
	buildService,
	type RunningService,
	type StartOptions,
	startService,
} from "./start/start.ts";
export {
	explainDatabase,
	explainFolder,
	explainSealedKeys,
	explainSettings,
	requireDatabaseAddress,
	StartFault,
} from "./start/start-fault.ts";
