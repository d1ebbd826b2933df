import { useNavigate } from "@tanstack/react-router";
import { useRef } from "react";
import { ConfirmButton } from "../../dialogs/confirm-button.tsx";
import { usePlatform } from "../../platform.ts";
import type { ServiceScope } from "../../services/service-access.queries.ts";
import { type Delivery, messagesKey, resend } from "./state/message.queries.ts";
import { useMessageTexts } from "./state/texts.ts";

/**
 * Sends a delivery again as a new message. If the outcome is unknown, the user accepts a second message.
 */
export function ResendButton({ scope, delivery }: { scope: ServiceScope; delivery: Delivery }) {
	const platform = usePlatform();
	const words = useMessageTexts();
	const navigate = useNavigate();
	const messageId = useRef("");
	const mayDuplicate = delivery.error_code === "outcome_unknown";
	const send = async () => {
		const { requestId } = await resend(platform, scope, { id: delivery.id, mayDuplicate });
		messageId.current = requestId;
	};
	const open = () =>
		navigate({
			to: "/$slug/messages/$messageId",
			params: { slug: scope.slug, messageId: messageId.current },
		});
	return (
		<ConfirmButton
			texts={mayDuplicate ? words.resendTwice : words.resend}
			name={delivery.address_masked}
			action={send}
			redirect={open}
			invalidates={messagesKey(scope)}
			messages={words.errors}
		/>
	);
}
