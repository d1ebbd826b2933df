export {
	type AuthenticateOptions,
	authenticateWith,
	insufficientScope,
	type OwnTokens,
	type StoredApiKey,
} from "./authenticate.ts";
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
} from "./call.ts";
export { deadJobRoutes } from "./dead-job.routes.ts";
export { deadLetterRoutes } from "./dead-letter.routes.ts";
export { isDevelopment } from "./development.ts";
export { listIn } from "./domain/access/list-in.ts";
export { requireRight, rightsOf } from "./domain/access/own-rights.ts";
export { type ConfigEntry, findConfig, listConfig } from "./domain/config/config.store.ts";
export { everyone, type FirstRole } from "./domain/declaration.ts";
export { type DomainServiceTable, defineDomainService } from "./domain/define-domain-service.ts";
export { type Domain, domainMigrations } from "./domain/domain.ts";
export { carries, isCustomer, limitReached } from "./domain/steps/authorize.ts";
export { actorOf, originOf } from "./domain/steps/record-passes.ts";
export { outletIn, requireOutlet } from "./domain/stored-outlet.ts";
export { entityTagOf, namesEntityTag } from "./entity-tag.ts";
export {
	discardRefused,
	type FailedWork,
	type PlatformAction,
	redriveDeadJobAudited,
	republishSince,
	resolveDeadLetter,
	resolveDeadLetters,
} from "./failed-work.ts";
export {
	chassisFailures,
	defineFailures,
	Failure,
	type FailureDetail,
	type FailureKind,
	type FailureTable,
	failureStatus,
	failureTableOf,
} from "./failure.ts";
export {
	type Instrument,
	type InstrumentName,
	instruments,
	observe,
	prometheusNameOf,
	prometheusWord,
} from "./instruments.ts";
export { keyRequired } from "./name-credential.ts";
export { networkOf } from "./network.ts";
export { createLog, type Logger } from "./observe.ts";
export { type Place, pageOf, readCursor, timeForm, uuidForm } from "./paging.ts";
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
} from "./route.ts";
export { runService } from "./run.ts";
export {
	type Context,
	defineService,
	platformSettings,
	type ServiceDefinition,
	settingsOf,
} from "./service.ts";
export {
	type AcceptedKey,
	acceptedKeys,
	keyEncryptionKeys,
	keysPage,
	replacedSetting,
	serviceKey,
} from "./service-keys.ts";
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
} from "./settings.ts";
export { openSharedCounts, type SharedCounts, type SharedCountsOptions } from "./shared-counts.ts";
export {
	type BuiltService,
	buildService,
	type RunningService,
	type StartOptions,
	startService,
} from "./start.ts";
export {
	explainDatabase,
	explainFolder,
	explainSealedKeys,
	explainSettings,
	requireDatabaseAddress,
	StartFault,
} from "./start-fault.ts";
export { subscribeEntitlements } from "./subscribe-entitlements.ts";
export { subscribeRevocations } from "./subscribe-revocations.ts";
export { type SubscriptionContext, subscribeWithReplay } from "./subscribe-with-replay.ts";
export { type TenantSlots, takeTenantSlot } from "./tenant-slots.ts";
