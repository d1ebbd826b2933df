export { optionsOf } from "./options.ts";
export {
	type CardGateway,
	type CardGatewayOptions,
	defaultPort,
	defaultSecretKey,
	startCardGateway,
} from "./start-card-gateway.ts";
