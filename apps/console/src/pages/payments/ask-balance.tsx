import { usePlatform } from "../../platform.ts";
import type { ServiceScope } from "../../services/service-access.queries.ts";
import { AskGateway } from "./ask-gateway.tsx";
import { askBalance } from "./gateway-question.queries.ts";
import { usePayingTexts } from "./texts.ts";

/** A button that asks the mobile-money gateway for the balance of the tenant's shortcode. */
export function AskBalance({ scope }: { scope: ServiceScope }) {
	const platform = usePlatform();
	const { balance: texts } = usePayingTexts();
	return <AskGateway scope={scope} ask={() => askBalance(platform, scope)} texts={texts} />;
}
