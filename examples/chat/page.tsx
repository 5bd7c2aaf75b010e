/** Loads the chat that the address names, or begins one. */

import { createRoot } from "react-dom/client";
import { Chat, type Message } from "./chat.tsx";

const address = new URL(location.href);
const id = address.searchParams.get("chat") ?? crypto.randomUUID();
address.searchParams.set("chat", id);
history.replaceState(null, "", address);

const response = await fetch(`/api/chat/${id}`);
const { messages } = (await response.json()) as { messages: Message[] };

const page = document.getElementById("page");
if (page !== null) createRoot(page).render(<Chat id={id} messages={messages} />);
